package models_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestCheckOn(t *testing.T) {
	t.Parallel()
	day := noon(t, "2026-11-23")
	for _, c := range []struct {
		platform    string
		p           models.Provider
		id          string
		state       models.RetirementState
		date        string
		replacement string
	}{
		{"", models.Anthropic, "claude-opus-4-1", models.StateRetired, "2026-08-05", "claude-opus-4-8"},
		{"bedrock", models.Anthropic, "us.anthropic.claude-opus-4-1-20250805-v1:0", models.StateRetiring, "2027-01-08", "claude-opus-4-8"},
		{"bedrock", models.Anthropic, "claude-sonnet-4-20250514", models.StateRetired, "2026-10-14", "claude-sonnet-4-6"},
		{"bedrock", models.Anthropic, "claude-sonnet-4-5", models.StateListed, "", ""},
		{"vertex", models.Anthropic, "claude-opus-4-1@20250805", models.StateDeprecated, "", "claude-opus-4-8"},
		{"", models.Anthropic, "claude-opus-4-5", models.StateRetiring, "2027-01-22", ""},
		{"", models.Anthropic, "claude-opus-4-5-20251101", models.StateRetiring, "2027-01-22", ""},
		{"bedrock", models.Anthropic, "claude-opus-4-5", models.StateListed, "", ""},
		{"vertex", models.Anthropic, "claude-opus-4-5@20251101", models.StateRetiring, "2027-01-22", ""},
		{"azure", models.Anthropic, "claude-opus-4-5", models.StateRetiring, "2027-01-22", ""},
		{"vertex", models.Anthropic, "claude-sonnet-4-5@20250929", models.StateRetiring, "2026-11-30", "claude-sonnet-5-5"},
		{"azure", models.Anthropic, "claude-sonnet-4-5", models.StateRetiring, "2026-11-30", "claude-sonnet-5-5"},
		{"vertex", models.Anthropic, "claude-opus-4@20250514", models.StateRetired, "2026-09-14", "claude-opus-4-8"},
		{"vertex", models.Anthropic, "claude-sonnet-4-0", models.StateRetired, "2026-09-14", "claude-sonnet-4-6"},
		{"", models.Gemini, "gemini-2.5-pro", models.StateRetiring, "2026-12-01", "gemini-3.8-flash"},
		{"vertex", models.Gemini, "google/gemini-2.5-pro", models.StateRetired, "2026-10-20", "gemini-3.8-flash"},
		{"azure", models.OpenAI, "o1-mini", models.StateListed, "", ""},
		{"azure", models.OpenAI, "gpt-4o-2024-08-06", models.StateRetired, "2026-10-01", models.Retirements().Check(models.OpenAI, "gpt-4o", day).Replacement},
		{"openrouter", models.Anthropic, "anthropic/claude-3.5-sonnet", models.StateListed, "", ""},
		{"elsewhere", models.OpenAI, "davinci", models.StateListed, "", ""},
		{"bedrock", models.Anthropic, "claude-unheard-of", models.StateUnknown, "", ""},
	} {
		got := models.Retirements().CheckOn(c.platform, c.p, c.id, day)
		got.Matched = ""
		assert.Equal(t, models.RetirementStatus{State: c.state, Date: c.date, Replacement: c.replacement}, got, "%s %s", c.platform, c.id)
	}
}

// Registry dates, such as a provider's reported ones, don't reach a platform either.
func TestCheckOnIgnoresTheRegistry(t *testing.T) {
	t.Parallel()
	mine := models.Retirements().With(entries{{Provider: models.Anthropic, ID: "claude-opus-5"}: "2026-01-01"})
	assert.Equal(t, models.StateRetired, mine.Check(models.Anthropic, "claude-opus-5", noon(t, "2026-11-23")).State)
	assert.Equal(t, models.StateListed, mine.CheckOn("bedrock", models.Anthropic, "claude-opus-5", noon(t, "2026-11-23")).State)
}

func TestPlatformDatesAreWellFormed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for line := range strings.Lines(readFacts(t, "platforms.csv")) {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "provider,") {
			continue
		}
		row := strings.Split(strings.TrimSpace(line), ",")
		require.Len(t, row, 5, line)
		assert.False(t, seen[row[3]+row[0]+row[1]], "%v twice", row)
		seen[row[3]+row[0]+row[1]] = true
		assert.Contains(t, []string{"bedrock", "vertex", "azure"}, row[3])
		assert.Equal(t, row[1], strings.ToLower(row[1]))
		assert.NotEmpty(t, row[4], "a date has a source: %v", row)
		if row[2] != models.Deprecated {
			_, err := time.Parse(time.DateOnly, row[2])
			assert.NoError(t, err, row)
		}
	}
	assert.Greater(t, len(seen), 30)
}
