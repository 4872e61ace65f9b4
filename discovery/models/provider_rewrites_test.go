package models_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestRewrites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    models.Provider
		id   string
		want []string
	}{
		{models.XAI, "grok-4.5", []string{"grok-4-5"}},
		{models.XAI, "grok-4-9", []string{"grok-4.9"}},
		{models.XAI, "grok-build-0-1", []string{"grok-build-0.1"}},
		{models.XAI, "x-ai/grok-4.20", []string{"x-ai/grok-4-20", "grok-4-20"}},
		{models.OpenAI, "gpt-5.2", []string{"gpt-5-2"}},
		{models.OpenAI, "gpt-4o-2024-05-13", nil},
		{models.OpenAI, "gpt-5.2-2025-12-11", []string{"gpt-5-2-2025-12-11", "gpt-5-2"}},
		{models.Anthropic, "claude-opus-4-8", []string{"claude-opus-4.8"}},
		{models.Anthropic, "claude-3-5-sonnet", []string{"claude-3.5-sonnet"}},
		{models.Anthropic, "claude-opus-4-20250514", nil}, // a date is not a version
		{models.Gemini, "gemini-3.6-flash", []string{"gemini-3-6-flash"}},
		// The same model in other notation comes before the model without preview.
		{models.Gemini, "google/gemini-3.1-pro-preview", []string{"google/gemini-3-1-pro-preview", "gemini-3-1-pro-preview", "google/gemini-3.1-pro", "gemini-3.1-pro"}},
		{models.Gemini, "gemini-3-pro-preview", []string{"gemini-3-pro"}},
		{models.Gemini, "gemini-preview", nil},
		{models.DeepSeek, "deepseek-r1", []string{"deepseek-reasoner"}},
		{models.DeepSeek, "deepseek-v3-1", []string{"deepseek-v3.1"}},
		{"Google", "gemini-3-pro-preview", []string{"gemini-3-pro"}},
		{"meta", "llama-3.3", nil},
		{models.XAI, "", nil},
	} {
		assert.Equal(t, c.want, modelid.RulesOf(c.p).Rewrites(c.id), "%s %s", c.p, c.id)
	}
}

func TestSpellingsKeepTheBuild(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    models.Provider
		id   string
		want []string
	}{
		{models.OpenAI, " openai/GPT-4o-2024-05-13 ", []string{"openai/GPT-4o-2024-05-13", "openai/gpt-4o-2024-05-13", "gpt-4o-2024-05-13"}},
		{models.XAI, "x-ai/grok-4-07-09", []string{"x-ai/grok-4-07-09", "grok-4-07-09", "grok-4-0709"}},
		{models.XAI, "x-ai/grok", []string{"x-ai/grok"}},
		{models.Anthropic, "claude-opus-4-5@20251101", []string{"claude-opus-4-5@20251101", "claude-opus-4-5-20251101"}},
		// Suffixes may be in any order.
		{models.Anthropic, "claude-opus-4-5@20251101[1m]-v1:0", []string{"claude-opus-4-5@20251101[1m]-v1:0", "claude-opus-4-5@20251101[1m]", "claude-opus-4-5@20251101", "claude-opus-4-5-20251101"}},
		{"meta", " Llama ", []string{"Llama"}},
	} {
		assert.Equal(t, c.want, modelid.RulesOf(c.p).Spellings(c.id), "%s %s", c.p, c.id)
	}
}

// Rewrites contain neither the id itself nor repetitions.
func TestRewritesAreNew(t *testing.T) {
	t.Parallel()
	for _, row := range realIDs(t) {
		p, id := models.Provider(row[0]), row[1]
		all := append(modelid.RulesOf(p).Spellings(id), modelid.RulesOf(p).Rewrites(id)...)
		assert.NotContains(t, modelid.RulesOf(p).Rewrites(id), models.NormalizeModelID(p, id))
		slices.Sort(all)
		assert.Equal(t, slices.Compact(slices.Clone(all)), all, id)
	}
}

// A marketplace that writes every version with hyphens gets the table's prices, even for
// the newest models.
func TestHyphenatedVersionsHaveThePriceOfTheirModel(t *testing.T) {
	t.Parallel()
	prices := prices.BuiltIn()
	dotted := regexp.MustCompile(`^((?:gpt|grok)-\d)\.(\d)`)
	tried := 0
	for _, p := range []models.Provider{models.OpenAI, models.XAI} {
		for _, row := range prices.Rows(p) {
			hyphenated := dotted.ReplaceAllString(row.ModelHint, "$1-$2")
			if hyphenated == row.ModelHint || strings.HasSuffix(hyphenated, "-latest") { // an alias has its own rows
				continue
			}
			tried++
			assert.Equal(t, prices.ForModel(p, row.ModelHint), prices.ForModel(p, string(p)+"/"+hyphenated), hyphenated)
		}
	}
	assert.Greater(t, tried, 50)
}

func TestNormalizeRemovesAnyVendorAndEveryBedrockRegion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p        models.Provider
		id, want string
	}{
		{models.XAI, "other-vendor/grok-3", "grok-3"},
		{models.XAI, "a/b/grok-4-0709", "grok-4"},
		{models.XAI, "other-vendor/llama", "other-vendor/llama"},
		{models.DeepSeek, "fireworks/models/deepseek-chat-v3.1", "deepseek-chat"},
		{models.Anthropic, "jp.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"},
		{models.Anthropic, "au.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"},
		{models.Anthropic, "us-gov.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"},
	} {
		assert.Equal(t, c.want, models.NormalizeModelID(c.p, c.id), c.id)
	}
}
