package pricelist

import "github.com/mesh-gateway/mesh-go/discovery/internal/usage"

// textual is a modality that may cost as much as text.
type textual struct {
	Scope

	modality string
	text     bool
}

func readTextual(cells []string) textual {
	return textual{newScope(cells[0], cells[3], "", ""), cells[1], cells[2] == "text"}
}

// Textual reports whether the provider documents the text price for a prompt modality.
func (t *Terms) Textual(provider, modality, model string) (text bool) {
	longest := 0
	for _, m := range t.textuals {
		if m.Provider != provider || m.modality != modality {
			continue
		}
		if length := m.match(model); length > longest {
			longest, text = length, m.text
		}
	}
	return text
}

// asText counts prompt audio, images or videos as text if row has no price for them,
// and the provider documents the text price.
func (c *Call) asText(u *usage.Usage, row *Row, modality, model string, input, read *int64) {
	if row.Input == nil && *input+*read != 0 && c.Terms.Textual(c.Provider, modality, model) {
		u.Input, u.CacheRead = u.Input+*input, u.CacheRead+*read
		*input, *read = 0, 0
	}
}
