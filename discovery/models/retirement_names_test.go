package models_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestRetirementInAnySpelling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ provider, id, want string }{
		{"OpenAI", "gpt-4o", "2027-01-14"},
		{"Open AI", " OpenAI/GPT-4o ", "2027-01-14"},
		{"openai", "openai/gpt-4-1-nano", "2026-10-23"},
		{"openai", "gpt-4o-2024-05-13", "2026-10-23"},
		{"openai", "openai/gpt-4o-2024-05-13:free", "2026-10-23"},
		{"openai", "GPT 4o mini", "2027-01-14"},
		{"x-ai", "x-ai/grok-4-07-09", "2026-05-15"},
		{"grok", "Grok-4-0709", "2026-05-15"},
		{"X AI", "grok-4-latest", "2026-05-15"},
		{"xai", "x-ai/grok-3-beta", "2026-05-15"},
		{"xai", "x-ai/grok-3-mini-beta", "2026-02-28"},
		{"xai", "x-ai/grok-4-1-fast-reasoning", "2026-05-15"},
		{"xai", "x-ai/grok-beta", "deprecated"},
		{"claude", "claude-opus-4-20250514", "2026-06-15"},
		{"anthropic", "claude-opus-4@20250514", "2026-06-15"},
		{"anthropic", "claude-4-opus-20250514", "2026-06-15"},
		{"anthropic", "us.anthropic.claude-3-5-sonnet-20241022-v2:0", "2025-10-28"},
		{"anthropic", "anthropic/claude-3.5-sonnet-20240620", "2025-10-28"},
		{"anthropic", "claude-sonnet-3-7-20250219", "2026-02-19"},
		{"anthropic", "anthropic/claude-sonnet-4.5", "2026-11-30"},
		{"anthropic", "anthropic/claude-2.1", "2025-07-21"},
		{"anthropic", "claude-1.3", "2024-11-06"},
		{"google", "models/gemini-2.0-flash-001", "2026-06-01"},
		{"Google", "gemini-2-0-flash", "2026-06-01"},
		{"gemini", "google/gemini-2.5-pro-preview-05-06", "2025-12-02"},
		{"gemini", "models/gemini-embedding-001", "2028-05-14"},
		{"gemini", "google/veo-2.0-generate-001", "2026-06-30"},
		{"DeepSeek AI", "deepseek-ai/DeepSeek-Chat", "2026-07-24"},
		{"deepseek", "deepseek/deepseek-v4-flash", "deprecated"},
	} {
		date, ok := models.RetirementDate(models.Provider(c.provider), c.id)
		assert.True(t, ok, "%s %s", c.provider, c.id)
		assert.Equal(t, c.want, date, "%s %s", c.provider, c.id)
	}
}

// prefixOf has a vendor prefix for each provider's ids.
var prefixOf = map[models.Provider]string{
	models.OpenAI: "openai/", models.DeepSeek: "deepseek/", models.Anthropic: "anthropic/", models.Gemini: "models/", models.XAI: "x-ai/",
}

func TestEntriesAreFoundInEverySpelling(t *testing.T) {
	t.Parallel()
	for key, want := range models.Retirements().All() {
		for _, id := range []string{key.ID, " " + key.ID + "\n", strings.ToUpper(key.ID), prefixOf[key.Provider] + key.ID, key.ID + ":free"} {
			date, ok := models.RetirementDate(key.Provider, id)
			assert.True(t, ok, "%s %s", key.Provider, id)
			assert.Equal(t, want, date, "%s %s", key.Provider, id)
		}
	}
}

// A build has its own date or none.
func TestDateAppliesToItsBuildOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p  models.Provider
		id string
	}{
		{models.Anthropic, "claude-3-5-sonnet-20990101"},
		{models.Anthropic, "claude-sonnet-4-5-20990101"}, // only the name without build, and another build, are listed
		{models.Anthropic, "claude-sonnet-4-5@20990101"},
		{models.OpenAI, "gpt-4o-2024-12-01"},
		{models.XAI, "grok-4-1225"},
		{models.XAI, "grok-4-12-25"},
		{models.XAI, "grok-2"},
		{models.XAI, "grok-4.5"},
		{models.Gemini, "gemini-2.0-flash-002"},
		{models.Gemini, "gemini-2.5-pro-preview-12-12"},
		{models.Gemini, "gemini-3-pro"},
		{models.Gemini, "gemini-2.5-flash-lite"},
		{models.DeepSeek, "deepseek/deepseek-chat-v3.1"},
		{models.DeepSeek, "deepseek/deepseek-r1"},
	} {
		date, ok := models.RetirementDate(c.p, c.id)
		assert.False(t, ok, "%s %s has %s", c.p, c.id, date)
		assert.False(t, models.IsRetiredOn(c.p, c.id, noon(t, "2999-01-01")), c.id)
	}
}

// A build without a row has its line's date if the whole line is retired; a build with a
// row has its own.
func TestRetiredLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p        models.Provider
		id, want string
	}{
		{models.Gemini, "models/gemini-1.5-pro-002", "2025-09-29"},
		{models.Gemini, "gemini-1.5-flash-8b-001", "2025-09-29"},
		{models.OpenAI, "gpt-4o-audio-preview-2024-12-17", "2026-05-07"},
		{models.OpenAI, "gpt-4o-audio-preview-2024-10-01", "2025-10-10"},
		{models.OpenAI, "gpt-4o-mini-realtime-preview-2024-12-17", "2026-05-07"},
	} {
		date, ok := models.RetirementDate(c.p, c.id)
		assert.True(t, ok, c.id)
		assert.Equal(t, c.want, date, c.id)
	}
	own := models.Registry{}.With(entries{{Provider: models.OpenAI, ID: "gpt-4o-mini-2024-07-18"}: "2027-01-14"})
	_, ok := own.RetirementDate(models.OpenAI, "gpt-4o-audio-preview-2024-12-17")
	assert.False(t, ok, "without the line there is no date")
}

func TestFineTunesHaveDatesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"ft:babbage-002:acme::1":                          "2026-10-23", // the model itself goes on 2026-09-28
		"ft:gpt-3.5-turbo-0125:acme:Our Model:8x":         "2026-10-23",
		"openai/ft:gpt-3.5-turbo-0613:acme::1":            "2026-10-23",
		"ft:gpt-4-0613:acme::1":                           "2026-10-23",
		"ft:gpt-4.1-nano-2025-04-14:acme::1":              "2026-10-23",
		"ft:gpt-4-1-nano-2025-04-14:acme::1:ckpt-step-80": "2026-10-23",
		"ft:gpt-4o-mini-2024-07-18:acme::1":               "", // only its model has a date
		"ft:gpt-4.1-nano-2026-01-01:acme::1":              "",
	} {
		date, ok := models.RetirementDate(models.OpenAI, id)
		assert.Equal(t, want != "", ok, id)
		assert.Equal(t, want, date, id)
	}
	others := models.Registry{}.With(entries{{Provider: models.XAI, ID: "ft-grok-4"}: "2026-10-23"})
	_, ok := others.RetirementDate(models.XAI, "ft:grok-4:acme::1")
	assert.False(t, ok, "only OpenAI names fine-tunes this way")
}

func TestExactKeyPrecedesOtherSpellings(t *testing.T) {
	t.Parallel()
	r := models.Registry{}.With(entries{
		{Provider: models.XAI, ID: "grok-3"}:      "2026-05-15",
		{Provider: models.XAI, ID: "grok-3-beta"}: "2026-01-01",
		{Provider: "acme", ID: "Their Model"}:     "2026-02-02",
		{Provider: "Google", ID: "Their Model"}:   "2026-03-03",
	})
	date, _ := r.RetirementDate("Google", "Their Model")
	assert.Equal(t, "2026-03-03", date, "an exact key is found first")
	for id, want := range map[string]string{"grok-3-beta": "2026-01-01", "x-ai/grok-3-beta": "2026-01-01", "grok-3-latest": "2026-05-15"} {
		date, _ := r.RetirementDate(models.XAI, id)
		assert.Equal(t, want, date, id)
	}
	for _, id := range []string{"Their Model", " Their Model "} {
		date, _ := r.RetirementDate("acme", id)
		assert.Equal(t, "2026-02-02", date, id)
	}
}
