package discovery_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// testdata/retirement_fixes.csv has the ids that the first table lacked or had wrong, with their dates. "none" is for an id
// whose date was withdrawn, and for two spellings that no source shows as an id of the API: they are not in the registry.
func TestCorrectedRetirementDates(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/retirement_fixes.csv")
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+48)
	registry, none := discovery.Retirements(), []string{}
	for _, row := range rows[1:] {
		date, dated := registry[discovery.ModelKey{Provider: discovery.Provider(row[0]), ID: row[1]}]
		if row[2] == "none" {
			none = append(none, row[1])
			assert.False(t, dated, row)
			continue
		}
		assert.Equal(t, row[2], date, row)
	}
	assert.Equal(t, []string{"claude-sonnet-3-7", "claude-opus-3", "deepseek-v4-pro"}, none)
}

// A date that rests on one source is marked in the table.
func TestDatesOfOneSourceAreMarked(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"xai,grok-3-mini,", "xai,grok-2-vision-1212,"} {
		_, row, found := strings.Cut(discovery.RetirementsCSV, id)
		require.True(t, found, id)
		row, _, _ = strings.Cut(row, "\n")
		assert.Contains(t, row, "one source only", id)
	}
}

// An alias or a build is answered as the id of the same model and date: with its replacement.
func TestAliasesHaveTheReplacementOfTheirModel(t *testing.T) {
	t.Parallel()
	registry, day := discovery.Retirements(), noon(t, "2026-11-21")
	for alias, id := range map[string]string{
		"anthropic/claude-opus-4": "claude-opus-4-20250514", "anthropic/claude-sonnet-4-0": "claude-sonnet-4-20250514",
		"xai/grok-3-beta": "grok-3", "xai/grok-code-fast": "grok-code-fast-1", "openai/o1-mini-2024-09-12": "o1-mini",
		"openai/gpt-4o-search-preview": "gpt-4o-search-preview-2025-03-11", "gemini/gemini-2.5-flash-preview-09-2025": "gemini-2.5-flash-preview-09-25",
	} {
		name, alias, _ := strings.Cut(alias, "/")
		p := discovery.Provider(name)
		got, want := registry.Check(p, alias, day), registry.Check(p, id, day)
		assert.NotEmpty(t, want.Replacement, id)
		want.Matched = alias
		assert.Equal(t, want, got)
	}
}
