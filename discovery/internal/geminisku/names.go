package geminisku

import (
	"maps"
	"slices"
	"strings"
)

// ModelOf returns the model of a SKU that prices tokens, as an id without its release, such as "gemini-3-flash"; "" for any other SKU.
func ModelOf(description string) string {
	if c := classify(description); c.Direction != "" {
		return idOf(c.Model)
	}
	return ""
}

// KindOf returns the kind of token that a SKU prices, as in the lines of a cost; "" for any other SKU.
func KindOf(description string) string {
	c := classify(description)
	kind := string(c.Direction)
	switch {
	case kind == "":
		return ""
	case strings.Contains(c.Mode, ModeCached):
		kind = "cache_read"
	}
	if c.Modality == ModalityAudio || c.Modality == ModalityImage && c.Direction == Output {
		return c.Modality + "_" + kind
	}
	return kind
}

func idOf(name string) string { return strings.ReplaceAll(name, " ", "-") }

// Names are the models of the SKUs of a bill.
type Names struct{ models modelNames }

// NewNames returns the names of models, as [ModelOf] returns them.
func NewNames(ids []string) Names {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = strings.ReplaceAll(id, "-", " ")
	}
	return Names{newModelNames(names)}
}

// Of returns the name of the model with an id such as gemini-3-flash-preview; "" if the bill has none.
func (n Names) Of(id string) string {
	names := slices.Sorted(maps.Keys(n.models.ofID(Words(id))))
	if len(names) == 0 {
		return ""
	}
	return idOf(names[0])
}
