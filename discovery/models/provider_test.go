package models_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/retirements"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

var providerSpellings = map[models.Provider][]string{
	models.OpenAI:    {"openai", "OpenAI", "Open AI", "open-ai", "open_ai", " OPENAI\t", "Open\u00a0AI", "open.ai"},
	models.DeepSeek:  {"deepseek", "DeepSeek", "Deep Seek", "DeepSeek AI", "deepseek-ai", "deep_seek"},
	models.Anthropic: {"anthropic", "Anthropic", "claude", "Claude"},
	models.Gemini:    {"gemini", "Gemini", "google", "Google", " GOOGLE "},
	models.XAI:       {"xai", "xAI", "x-ai", "X AI", "x.ai", "X_AI", "grok", "Grok"},
}

var unknownProviders = []string{"", " ", "-", "Meta", "Mistral AI", "Alibaba Cloud", "openai2", "open", "ai", "openai/", "gpt", "x", "Zhipu AI", "Ｘ AI"}

func TestParseProviderAcceptsEverySpelling(t *testing.T) {
	t.Parallel()
	for want, names := range providerSpellings {
		for _, name := range names {
			got, err := models.ParseProvider(name)
			assert.NoError(t, err, name)
			assert.Equal(t, want, got, name)
		}
	}
}

func TestParseProviderRejectsUnknownNames(t *testing.T) {
	t.Parallel()
	for _, name := range unknownProviders {
		got, err := models.ParseProvider(name)
		var bad *discovery.ValueError
		require.ErrorAs(t, err, &bad, name)
		assert.Empty(t, got, name)
		assert.Equal(t, "provider", bad.Field)
		assert.Equal(t, name, bad.Value)
		for p := range providerSpellings {
			assert.ErrorContains(t, err, string(p), "the error lists the valid names")
		}
	}
}

func TestProviderErrors(t *testing.T) {
	t.Parallel()
	_, err := models.ParseProvider("Meta")
	assert.EqualError(t, err, `models: provider "Meta" is not one of openai, deepseek, anthropic, gemini, xai`)
	_, err = models.ParseProvider("")
	assert.EqualError(t, err, `models: provider is not one of openai, deepseek, anthropic, gemini, xai`)
}

// A key passed as a name must not appear in the error.
func TestProviderErrorsContainNoKey(t *testing.T) {
	t.Parallel()
	key := "sk-" + strings.Repeat("0123456789abcdef", 2)
	_, err := models.ParseProvider(key)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), key[:8])
	_, err = models.ParseProvider(strings.Repeat("m", 32))
	assert.ErrorContains(t, err, strings.Repeat("m", 32), "the longest name shown")
	_, err = models.ParseProvider(strings.Repeat("m", 33))
	assert.NotContains(t, err.Error(), "mm")
}

func TestProviderOf(t *testing.T) {
	t.Parallel()
	table := retirements.Of(facts.BuiltIn())
	all := slices.AppendSeq(slices.Collect(maps.Keys(table.Dates)), maps.Keys(table.Listed))
	for _, row := range all {
		for _, id := range []string{row.ID, prefixOf[models.Provider(row.Provider)] + row.ID, strings.ToUpper(row.ID)} {
			p, ok := models.ProviderOf(id)
			assert.True(t, ok, id)
			assert.Equal(t, models.Provider(row.Provider), p, id)
		}
	}
	for id, want := range map[string]models.Provider{
		"us.anthropic.claude-opus-4-5-20251101-v1:0": models.Anthropic,
		"us-gov.anthropic.claude-opus-4-5":           models.Anthropic,
		"ft:gpt-4o-mini-2024-07-18:acme::abc":        models.OpenAI,
		"publishers/google/models/gemini-2.5-pro":    models.Gemini,
		"other-vendor/grok-3":                        models.XAI,
		"other-vendor/deepseek-chat":                 models.DeepSeek,
		"":                                           "", "llama-4": "", "gpts": "", "claude": "", "mistral/mixtral": "",
	} {
		p, ok := models.ProviderOf(id)
		assert.Equal(t, want, p, id)
		assert.Equal(t, want != "", ok, id)
	}
}
