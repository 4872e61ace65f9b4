package discovery_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/internal/retirements"
)

// providerSpellings are accepted names of each provider.
var providerSpellings = map[discovery.Provider][]string{
	discovery.OpenAI:    {"openai", "OpenAI", "Open AI", "open-ai", "open_ai", " OPENAI\t", "Open\u00a0AI", "open.ai"},
	discovery.DeepSeek:  {"deepseek", "DeepSeek", "Deep Seek", "DeepSeek AI", "deepseek-ai", "deep_seek"},
	discovery.Anthropic: {"anthropic", "Anthropic", "claude", "Claude"},
	discovery.Gemini:    {"gemini", "Gemini", "google", "Google", " GOOGLE "},
	discovery.XAI:       {"xai", "xAI", "x-ai", "X AI", "x.ai", "X_AI", "grok", "Grok"},
}

var unknownProviders = []string{"", " ", "-", "Meta", "Mistral AI", "Alibaba Cloud", "openai2", "open", "ai", "openai/", "gpt", "x", "Zhipu AI", "Ｘ AI"}

func TestParseProviderAcceptsEverySpelling(t *testing.T) {
	t.Parallel()
	for want, names := range providerSpellings {
		for _, name := range names {
			got, err := discovery.ParseProvider(name)
			assert.NoError(t, err, name)
			assert.Equal(t, want, got, name)
		}
	}
}

func TestParseProviderRejectsUnknownNames(t *testing.T) {
	t.Parallel()
	for _, name := range unknownProviders {
		got, err := discovery.ParseProvider(name)
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
	_, err := discovery.ParseProvider("Meta")
	assert.EqualError(t, err, `mesh: provider "Meta" is not one of openai, deepseek, anthropic, gemini, xai`)
	_, err = discovery.ParseProvider("")
	assert.EqualError(t, err, `mesh: provider is not one of openai, deepseek, anthropic, gemini, xai`)
}

// A key passed as a name must not appear in the error.
func TestProviderErrorsContainNoKey(t *testing.T) {
	t.Parallel()
	key := "sk-" + strings.Repeat("0123456789abcdef", 2)
	_, err := discovery.ParseProvider(key)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), key[:8])
	_, err = discovery.ParseProvider(strings.Repeat("m", 32))
	assert.ErrorContains(t, err, strings.Repeat("m", 32), "the longest name that is shown")
	_, err = discovery.ParseProvider(strings.Repeat("m", 33))
	assert.NotContains(t, err.Error(), "mm")
}

func TestDevelopedBy(t *testing.T) {
	t.Parallel()
	for owner, names := range providerSpellings {
		for _, name := range names {
			for p := range providerSpellings {
				assert.Equal(t, p == owner, discovery.DevelopedBy(p, name), "%s developed by %s", name, p)
			}
		}
	}
	for _, name := range unknownProviders {
		for p := range providerSpellings {
			assert.False(t, discovery.DevelopedBy(p, name), "%q developed by %s", name, p)
		}
		assert.False(t, discovery.DevelopedBy(discovery.Provider(name), name), "an unknown provider develops nothing: %q", name)
	}
	assert.True(t, discovery.DevelopedBy("Google", "google"), "any spelling of the provider is accepted")
}

func TestProviderOf(t *testing.T) {
	t.Parallel()
	for _, row := range retirements.Rows() {
		for _, id := range []string{row.ID, prefixOf[discovery.Provider(row.Provider)] + row.ID, strings.ToUpper(row.ID)} {
			p, ok := discovery.ProviderOf(id)
			assert.True(t, ok, id)
			assert.Equal(t, discovery.Provider(row.Provider), p, id)
		}
	}
	for id, want := range map[string]discovery.Provider{
		"us.anthropic.claude-opus-4-5-20251101-v1:0": discovery.Anthropic,
		"us-gov.anthropic.claude-opus-4-5":           discovery.Anthropic,
		"ft:gpt-4o-mini-2024-07-18:acme::abc":        discovery.OpenAI,
		"publishers/google/models/gemini-2.5-pro":    discovery.Gemini,
		"other-vendor/grok-3":                        discovery.XAI,
		"other-vendor/deepseek-chat":                 discovery.DeepSeek,
		"":                                           "", "llama-4": "", "gpts": "", "claude": "", "mistral/mixtral": "",
	} {
		p, ok := discovery.ProviderOf(id)
		assert.Equal(t, want, p, id)
		assert.Equal(t, want != "", ok, id)
	}
}
