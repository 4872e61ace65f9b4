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

// Names returns a function that returns the one of models, as [ModelOf] names them, that has an id such as gemini-3-flash-preview; "" if
// there is none.
func Names(models []string) func(id string) string {
	names := make([]string, len(models))
	for i, model := range models {
		names[i] = strings.ReplaceAll(model, "-", " ")
	}
	known := newModelNames(names)
	return func(id string) string {
		found := slices.Sorted(maps.Keys(known.ofID(Words(id))))
		if len(found) == 0 {
			return ""
		}
		return idOf(found[0])
	}
}
