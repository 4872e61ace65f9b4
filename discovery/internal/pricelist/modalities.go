package pricelist

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// textual is a modality that may have the price of text.
type textual struct {
	provider, modality string
	text               bool
	models             []string
}

func readTextuals(text string) (list []textual) {
	for cells := range tables.Rows(text) {
		list = append(list, textual{provider: cells[0], modality: cells[1], text: cells[2] == "text", models: strings.Split(cells[3], ";")})
	}
	return list
}

// Textual reports whether the provider documents the price of text for a modality of a model's prompts.
func (t *Terms) Textual(provider, modality, model string) (text bool) {
	longest := 0
	for _, m := range t.textuals {
		if m.provider != provider || m.modality != modality {
			continue
		}
		if length := longestMatch(m.models, model); length > longest {
			longest, text = length, m.text
		}
	}
	return text
}

// asText adds audio, images or videos of the prompt to its text if their row has no price, and the provider documents the price of text.
func (c *Call) asText(u *usage.Usage, row *Row, modality, model string, input, read *int64) {
	if row.Input == nil && *input+*read != 0 && c.Terms.Textual(c.Provider, modality, model) {
		u.Input, u.CacheRead = u.Input+*input, u.CacheRead+*read
		*input, *read = 0, 0
	}
}
