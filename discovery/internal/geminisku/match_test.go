package geminisku_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		models, hint string
		want         string // the spellings; "" for no model, "?" for an ambiguous hint
	}{
		// rule 1: the hint is the model
		{"3 flash|3 flash lite|3 flash preview", "gemini-3-flash", "gemini 3 flash"},
		{"robotics er 1.6|robotics er1.6", "robotics-er-1.6", "gemini robotics er 1.6|gemini robotics er1.6"},
		// rule 2: the hint is the model without its release
		{"3 flash preview|3 flash lite", "3 flash", "gemini 3 flash preview"},
		{"2.5 flash 001", "gemini-2.5-flash", "gemini 2.5 flash 001"},
		{"3 flash preview|3 flash 001", "3 flash", "?"},
		// rule 3: the hint has a release that the model lacks
		{"3 flash", "gemini-3-flash-preview", "gemini 3 flash"},
		{"2.0 flash", "models/gemini-2.0-flash-001", "gemini 2.0 flash"},
		{"2.5 flash", "gemini-2.5-flash-latest", "gemini 2.5 flash"},
		{"3.1 flash lite preview", "gemini-3.1-flash-lite-latest", "gemini 3.1 flash lite preview"},
		{"2.5 flash", "gemini-2.5-flash-preview-09-2025", ""},
		{"2.0 flash", "gemini-2.0-flash-exp", ""},
		// rule 4: the hint is part of one model
		{"omni flash|3 pro", "omni", "gemini omni flash"},
		{"3 flash|2.5 pro", "pro", "gemini 2.5 pro"},
		{"3 pro image", "3 pro", "?"},
		{"3 flash|3 pro", "3", "?"},
		{"robotics er 2", "gemini-2", ""},
		{"robotics er 2", "2", "gemini robotics er 2"},
		{"3.5 flash", "5 flash", ""},
		{"3.5 flash", "claude-opus-4", ""},
		{"", "3 flash", ""},
	} {
		var names []string
		for name := range strings.SplitSeq(row.models, "|") {
			if name != "" {
				names = append(names, "gemini "+name, "gemini "+name) // a model has many SKUs
			}
		}
		hint, anchored := geminisku.WithoutVendor(geminisku.Words(row.hint))
		got, err := geminisku.Match(append(names, ""), hint, anchored)
		if row.want == "?" {
			assert.Error(t, err, row)
			assert.Nil(t, got, row)
			continue
		}
		assert.NoError(t, err, row)
		assert.Equal(t, row.want, strings.Join(slices.Sorted(maps.Keys(got)), "|"), row)
	}
}

// An error lists the models, but not a whole price list.
func TestAmbiguousHintListsTenModels(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 30 {
		names = append(names, "gemini 3 flash "+strings.Repeat("x", i+1))
	}
	_, err := geminisku.Match(names, []string{"3"}, false)
	assert.ErrorContains(t, err, "and 20 more")
	assert.Equal(t, 10, strings.Count(err.Error(), "gemini"))
}

func TestWithoutVendor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		words    string
		anchored bool
	}{
		"gemini-3-flash": {"3 flash", true}, "models/gemini-3-flash": {"3 flash", true}, "google/gemini": {"", true},
		"google/3 flash": {"3 flash", false}, "3 flash": {"3 flash", false}, "": {"", false}, "robotics gemini": {"robotics gemini", false},
	} {
		words, anchored := geminisku.WithoutVendor(geminisku.Words(text))
		assert.Equal(t, want.words, strings.Join(words, " "), text)
		assert.Equal(t, want.anchored, anchored, text)
	}
}
