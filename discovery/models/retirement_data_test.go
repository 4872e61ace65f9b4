package models_test

import (
	_ "embed"
	"encoding/csv"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// readFacts reads a table without the code under test.
func readFacts(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../facts/" + name)
	require.NoError(t, err)
	return string(text)
}

type entries = map[models.ModelKey]string

func builtInEntries() entries { return maps.Collect(models.Retirements().All()) }

// builtInRows reads the data without the code under test.
func builtInRows(t *testing.T) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(readFacts(t, "retirements.csv")) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), ","))
		}
	}
	require.Equal(t, []string{"provider", "model_id", "date", "builds", "replacement", "note"}, rows[0])
	return rows[1:]
}

func TestRetirementDataIsWellFormed(t *testing.T) {
	t.Parallel()
	rows := builtInRows(t)
	assert.Len(t, rows, 321)
	seen := map[string]bool{}
	for _, row := range rows {
		require.Len(t, row, 6, row)
		provider, err := models.ParseProvider(row[0])
		require.NoError(t, err, row)
		assert.Equal(t, string(provider), row[0], row)
		assert.Equal(t, strings.ToLower(strings.TrimSpace(row[1])), row[1])
		assert.False(t, seen[row[0]+row[1]], "%v twice", row)
		seen[row[0]+row[1]] = true
		if row[2] != "deprecated" && row[2] != "none" {
			_, err = time.Parse(time.DateOnly, row[2])
			assert.NoError(t, err, row)
		}
		assert.Contains(t, []string{"", "all"}, row[3], row)
	}
}

func TestRegistryContainsTheData(t *testing.T) {
	t.Parallel()
	registry := builtInEntries()
	for _, row := range builtInRows(t) {
		key := models.ModelKey{Provider: models.Provider(row[0]), ID: row[1]}
		if row[2] == "none" {
			assert.NotContains(t, registry, key)
			continue
		}
		assert.Equal(t, row[2], registry[key], row)
	}
	assert.Len(t, registry, 319)
}

// If sources differ, the newest copy of the provider's page counts, and the row's note
// has the other dates.
func TestConflictingDates(t *testing.T) {
	t.Parallel()
	notes := map[string]string{}
	for _, row := range builtInRows(t) {
		if row[5] != "" {
			notes[row[1]] = row[5]
		}
	}
	for id, want := range map[string][2]string{
		"gemini-1.5-flash":      {"2025-09-29", "2026-06-17"},
		"gemini-1.5-pro":        {"2025-09-29", "2026-06-17"},
		"gemini-2.5-flash":      {"2026-12-01", "2026-10-20"},
		"gemini-2.5-pro":        {"2026-12-01", "2026-10-20"},
		"gemini-2.5-flash-lite": {"", "2026-10-16"},
	} {
		date, ok := models.RetirementDate(models.Gemini, id)
		assert.Equal(t, want[0] != "", ok, id)
		assert.Equal(t, want[0], date, id)
		assert.Contains(t, notes[id], want[1], "the note has the unused date")
	}
	date, _ := models.RetirementDate(models.OpenAI, "code-davinci-002")
	assert.Equal(t, "2024-01-04", date)
	assert.Contains(t, notes["code-davinci-002"], "2023-03-23")
	date, _ = models.RetirementDate(models.OpenAI, "gpt-image-1.5-2025-12-16")
	assert.Equal(t, "2026-12-01", date)
}

func TestWithReturnsACopy(t *testing.T) {
	t.Parallel()
	gpt4o := models.ModelKey{Provider: models.OpenAI, ID: "gpt-4o"}
	mine := models.Retirements().With(entries{gpt4o: "1999-01-01", {Provider: models.OpenAI, ID: "o3"}: ""})
	assert.True(t, mine.IsRetired(models.OpenAI, "gpt-4o"))
	assert.NotEmpty(t, mine.Check(models.OpenAI, "gpt-4o", time.Now()).Replacement)
	_, ok := mine.RetirementDate(models.OpenAI, "o3")
	assert.False(t, ok, "an empty entry removes one")
	assert.False(t, models.IsRetiredOn(models.OpenAI, "gpt-4o", noon(t, "2026-11-21")))
	assert.Len(t, builtInEntries(), 319)
}

// testdata/retirement_fixes.csv has ids whose dates were missing or wrong in the first
// table. "none" marks an id whose date was withdrawn, and two spellings that no source
// shows as an API id: they aren't in the registry.
func TestCorrectedRetirementDates(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/retirement_fixes.csv")
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+48)
	registry, none := builtInEntries(), []string{}
	for _, row := range rows[1:] {
		date, dated := registry[models.ModelKey{Provider: models.Provider(row[0]), ID: row[1]}]
		if row[2] == "none" {
			none = append(none, row[1])
			assert.False(t, dated, row)
			continue
		}
		assert.Equal(t, row[2], date, row)
	}
	assert.Equal(t, []string{"claude-sonnet-3-7", "claude-opus-3", "deepseek-v4-pro"}, none)
}

// A date with a single source is marked in the table.
func TestDatesOfOneSourceAreMarked(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"xai,grok-3-mini,", "xai,grok-2-vision-1212,"} {
		_, row, found := strings.Cut(readFacts(t, "retirements.csv"), id)
		require.True(t, found, id)
		row, _, _ = strings.Cut(row, "\n")
		assert.Contains(t, row, "one source only", id)
	}
}

// An alias or build with the model's date gets the model's replacement.
func TestAliasesHaveTheReplacementOfTheirModel(t *testing.T) {
	t.Parallel()
	registry, day := models.Retirements(), noon(t, "2026-11-21")
	for alias, id := range map[string]string{
		"anthropic/claude-opus-4": "claude-opus-4-20250514", "anthropic/claude-sonnet-4-0": "claude-sonnet-4-20250514",
		"xai/grok-3-beta": "grok-3", "xai/grok-code-fast": "grok-code-fast-1", "openai/o1-mini-2024-09-12": "o1-mini",
		"openai/gpt-4o-search-preview": "gpt-4o-search-preview-2025-03-11", "gemini/gemini-2.5-flash-preview-09-2025": "gemini-2.5-flash-preview-09-25",
	} {
		name, alias, _ := strings.Cut(alias, "/")
		p := models.Provider(name)
		got, want := registry.Check(p, alias, day), registry.Check(p, id, day)
		assert.NotEmpty(t, want.Replacement, id)
		want.Matched = alias
		assert.Equal(t, want, got)
	}
}

//go:embed testdata/retirement_keys.txt
var retirementKeys string

// Importers look models up by these keys, so a released key is never removed. Dates may
// change. New keys are added to the file by hand. Only deepseek/deepseek-v4-pro was ever
// removed, because its provider withdrew its date.
func TestRetirementKeysAreNeverRemoved(t *testing.T) {
	t.Parallel()
	registry := builtInEntries()
	assert.GreaterOrEqual(t, strings.Count(retirementKeys, "\n"), 317, "keys are only ever added to the file")
	for line := range strings.Lines(retirementKeys) {
		provider, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "/")
		_, ok := registry[models.ModelKey{Provider: models.Provider(provider), ID: id}]
		assert.True(t, ok, "%s/%s was removed", provider, id)
	}
}
