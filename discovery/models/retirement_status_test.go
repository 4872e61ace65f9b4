package models_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestCheckReturnsTheStateOfAModel(t *testing.T) {
	t.Parallel()
	registry := models.Retirements()
	for _, c := range []struct {
		p    models.Provider
		id   string
		want models.RetirementStatus
	}{
		{models.OpenAI, "o1-mini-2024-09-12", models.RetirementStatus{State: "retired", Date: "2025-10-27", Matched: "o1-mini-2024-09-12"}},
		{models.OpenAI, "openai/GPT-4o", models.RetirementStatus{State: "retiring", Date: "2027-01-14", Replacement: "gpt-6-luna", Matched: "gpt-4o"}},
		{models.Gemini, "gemini-1.5-pro-002", models.RetirementStatus{State: "retired", Date: "2025-09-29", Matched: "gemini-1.5-pro"}},
		{models.DeepSeek, "deepseek/deepseek-v4-flash", models.RetirementStatus{State: "deprecated", Replacement: "deepseek-flash", Matched: "deepseek-v4-flash"}},
		{"google", "models/gemini-2.5-flash-lite", models.RetirementStatus{State: "listed", Matched: "gemini-2.5-flash-lite"}},
		{models.DeepSeek, "deepseek-v4-pro", models.RetirementStatus{State: "listed", Matched: "deepseek-v4-pro"}},
		{models.Anthropic, "anthropic/claude-opus-5.5", models.RetirementStatus{State: "listed", Matched: "claude-opus-5-5"}},
		{models.Anthropic, "claude-opuss-5-5", models.RetirementStatus{State: "unknown"}},
		{models.OpenAI, "gpt-4o-2031-12-31", models.RetirementStatus{State: "unknown"}},
		{"meta", "llama", models.RetirementStatus{State: "unknown"}},
		{models.OpenAI, "", models.RetirementStatus{State: "unknown"}},
	} {
		got := registry.Check(c.p, c.id, noon(t, "2026-11-21"))
		if c.want.Replacement == "" {
			got.Replacement = "" // see TestReplacementsAreLasting
		}
		assert.Equal(t, c.want, got, c.id)
	}
	onTheDay := registry.Check(models.OpenAI, "gpt-4o", noon(t, "2027-01-14"))
	assert.Equal(t, models.StateRetiring, onTheDay.State)
	dayAfter := registry.Check(models.OpenAI, "gpt-4o", noon(t, "2027-01-15"))
	assert.Equal(t, models.StateRetired, dayAfter.State)
	assert.Equal(t, models.StateUnknown, models.Registry{}.Check(models.OpenAI, "nothing", time.Now()).State)
}

// If a replacement ends within 180 days, its own replacement is used. Without this rule,
// 26 of 256 replacements would end that soon.
func TestReplacementsAreLasting(t *testing.T) {
	t.Parallel()
	registry := models.Retirements()
	for day := noon(t, "2024-01-22"); day.Year() < 2028; day = day.AddDate(0, 0, 30) {
		found := 0
		for key := range registry.All() {
			advice := registry.Check(key.Provider, key.ID, day).Replacement
			if advice == "" {
				continue
			}
			found++
			date, _ := registry.RetirementDate(key.Provider, advice)
			assert.True(t, date == "" || (date != "deprecated" && date > day.AddDate(0, 0, 180).Format(time.DateOnly)), "%s → %s on %s", key.ID, advice, day)
		}
		assert.Greater(t, found, 200, day)
	}
	for _, c := range []struct {
		p               models.Provider
		id, day, advice string
	}{
		{models.OpenAI, "gpt-3.5-turbo-0613", "2026-04-25", "gpt-3.5-turbo"}, // retires 181 days later, on 2026-10-23
		{models.OpenAI, "gpt-3.5-turbo-0613", "2026-04-26", "gpt-5.6-terra"},
		{models.DeepSeek, "deepseek-chat", "2026-11-22", "deepseek-flash"}, // the table has deepseek-v4-flash, which is deprecated
		{models.Gemini, "imagen-3.0-generate-002", "2026-11-22", "gemini-nano-banana-2.1"},
		{models.OpenAI, "dall-e-3", "2026-11-22", "gpt-image-2"},
		{models.OpenAI, "davinci", "2026-11-22", "gpt-5.4-mini"},
		{models.OpenAI, "gpt-4o-mini-tts-2025-03-20", "2026-11-22", ""}, // its replacement retires on 2027-01-06, too
	} {
		assert.Equal(t, c.advice, registry.Check(c.p, c.id, noon(t, c.day)).Replacement, "%s on %s", c.id, c.day)
	}
}

func TestFixedDates(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"openai/tts-1": "2027-01-06", "openai/gpt-4.1-mini-2025-04-14": "2027-01-14", "openai/o1-preview-2024-09-12": "2025-07-28",
		"anthropic/claude-opus-4-0": "2026-06-15", "anthropic/claude-3-5-sonnet-latest": "2025-10-28",
		"gemini/gemini-2.5-flash-preview-09-2025": "2026-02-17", "gemini/gemini-2.5-flash-preview-09-25": "2026-02-17",
		"xai/grok-imagine-image-quality": "2026-11-02", "xai/grok-code-fast": "2026-05-15", "xai/grok-3-mini": "2026-02-28",
		"deepseek/deepseek-v4-flash-vision-exp": "deprecated", "deepseek/deepseek-v4-pro": "",
		"anthropic/claude-sonnet-3-7": "2026-02-19", "anthropic/claude-opus-3": "2026-01-05", // no rows: spellings without a version
		"anthropic/claude-3.5-sonnet": "2025-10-28", "anthropic/claude-2": "2025-07-21", "anthropic/claude-instant-1": "2024-11-06", "gemini/gemini-pro-vision": "2024-07-12",
	} {
		p, name, _ := strings.Cut(id, "/")
		date, _ := models.RetirementDate(models.Provider(p), name)
		assert.Equal(t, want, date, id)
	}
	_, err := time.Parse(time.DateOnly, models.RetirementsAsOf())
	require.NoError(t, err)
}

func TestRegistryHasJSON(t *testing.T) {
	t.Parallel()
	registry := models.Registry{}.With(entries{{Provider: models.OpenAI, ID: "gpt-4o"}: "2027-01-14", {Provider: models.XAI, ID: "a/b"}: "deprecated"})
	text, err := json.Marshal(registry)
	require.NoError(t, err)
	assert.JSONEq(t, `{"openai/gpt-4o":"2027-01-14","xai/a/b":"deprecated"}`, string(text))
	var back models.Registry
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, registry, back)
	for _, wrong := range []string{`{"gpt-4o":""}`, `{"meta/llama":""}`, `{"":""}`} {
		assert.Error(t, json.Unmarshal([]byte(wrong), &back), wrong)
	}

	soon := models.Retirement{ModelKey: models.ModelKey{Provider: models.OpenAI, ID: "gpt-4o"}, Date: "2027-01-14"}
	text, err = json.Marshal(soon)
	require.NoError(t, err)
	assert.JSONEq(t, `{"provider":"openai","id":"gpt-4o","date":"2027-01-14"}`, string(text))
	var read models.Retirement
	require.NoError(t, json.Unmarshal(text, &read))
	assert.Equal(t, soon, read)
	line, err := soon.MarshalText()
	require.NoError(t, err)
	assert.Equal(t, "openai/gpt-4o 2027-01-14", string(line))
}

// Check knows every priced model, with a date or as listed. Ids without a date aren't
// registry keys.
func TestEveryModelOfThePriceTableIsKnownToCheck(t *testing.T) {
	t.Parallel()
	registry, day, listed := models.Retirements(), noon(t, "2026-11-21"), 0
	for _, p := range []models.Provider{models.OpenAI, models.DeepSeek, models.Anthropic, models.Gemini, models.XAI} {
		for _, row := range prices.BuiltIn().Rows(p) {
			status := registry.Check(p, row.ModelHint, day)
			assert.NotEqual(t, models.StateUnknown, status.State, row.ModelHint)
			assert.NotEmpty(t, status.Matched, row.ModelHint)
			if status.State == models.StateListed {
				listed++
				assert.NotContains(t, builtInEntries(), models.ModelKey{Provider: p, ID: row.ModelHint})
			}
			typo := registry.Check(p, row.ModelHint+"x", day)
			assert.Equal(t, models.RetirementStatus{State: models.StateUnknown}, typo, row.ModelHint+"x")
		}
	}
	assert.Greater(t, listed, 100)
}
