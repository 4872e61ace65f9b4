package discovery_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// builtInRows reads the data without the code under test.
func builtInRows(t *testing.T) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(discovery.RetirementsCSV) {
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
	assert.Len(t, rows, 304)
	seen := map[string]bool{}
	for _, row := range rows {
		require.Len(t, row, 6, row)
		provider, err := discovery.ParseProvider(row[0])
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
	registry := discovery.Retirements()
	for _, row := range builtInRows(t) {
		key := discovery.ModelKey{Provider: discovery.Provider(row[0]), ID: row[1]}
		if row[2] == "none" {
			assert.NotContains(t, registry, key)
			continue
		}
		assert.Equal(t, row[2], registry[key], row)
	}
	assert.Len(t, registry, 302)
}

// When the sources differ, the newest copy of the provider's page is used, and the note of the row has the other dates.
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
		"gemini-2.5-flash":      {"2026-12-01", "2026-10-16"},
		"gemini-2.5-pro":        {"2026-12-01", "2026-10-16"},
		"gemini-2.5-flash-lite": {"", "2026-10-16"},
	} {
		date, ok := discovery.RetirementDate(discovery.Gemini, id)
		assert.Equal(t, want[0] != "", ok, id)
		assert.Equal(t, want[0], date, id)
		assert.Contains(t, notes[id], want[1], "the note has the date that was not used")
	}
	date, _ := discovery.RetirementDate(discovery.OpenAI, "code-davinci-002")
	assert.Equal(t, "2024-01-04", date)
	assert.Contains(t, notes["code-davinci-002"], "2023-03-23")
	date, _ = discovery.RetirementDate(discovery.OpenAI, "gpt-image-1.5-2025-12-16")
	assert.Equal(t, "2026-12-01", date)
}

func TestRetirementsReturnsACopy(t *testing.T) {
	t.Parallel()
	mine := discovery.Retirements()
	clear(mine)
	mine[discovery.ModelKey{Provider: discovery.OpenAI, ID: "gpt-4o"}] = "1999-01-01"
	assert.False(t, discovery.IsRetiredOn(discovery.OpenAI, "gpt-4o", noon(t, "2026-11-21")))
	assert.Len(t, discovery.Retirements(), 302)
}
