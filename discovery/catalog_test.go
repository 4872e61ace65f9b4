package discovery_test

import (
	"io"
	"log/slog"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

var discardLogger = slog.New(slog.NewTextHandler(io.Discard, nil))

const twoModels = `{"object":"list","data":[
	{"id":"openai/gpt-4o","aliases":["gpt-4o"],"type":"openai/chat-completions","tags":["tier:tier_2"],
	 "info":{"name":"GPT-4o","developer":"Open AI","description":"Multimodal.","contextLength":128000,"outputMax":16384}},
	{"id":"x-ai/grok-4-5","aliases":["grok-4.5"],"info":{"developer":"X AI","name":"Grok"}}]}`

func catalogServer(body string) *fakeServer {
	return newFakeServer(map[string]http.HandlerFunc{"catalog": respond(body)})
}

func recordedCatalog(tb testing.TB) []byte {
	tb.Helper()
	body, err := os.ReadFile("discoverytest/catalog.json")
	require.NoError(tb, err)
	return body
}

func TestListModelsReadsARecordedCatalog(t *testing.T) {
	t.Parallel()
	s := catalogServer(string(recordedCatalog(t)))
	models, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Len(t, models, 108, "109 rows, one id twice")
	assert.Empty(t, s.reasons())
	gpt := models[0]
	assert.Equal(t, "openai/gpt-4o", gpt.ID)
	assert.Equal(t, "Open AI", gpt.Developer)
	assert.Equal(t, int64(128000), *gpt.ContextLength)
	assert.Equal(t, int64(16384), *gpt.MaxTokens)
	assert.Equal(t, "GPT-4o", *gpt.Name)
	assert.Equal(t, []string{"gpt-4o"}, gpt.Aliases)
	assert.Equal(t, discovery.SourceCatalog, gpt.Source)
	assert.Equal(t, "openai/gpt-4.1-mini-2025-04-14", models[3].ID)
	assert.Empty(t, models[3].Developer, "the row has no developer")
	for _, m := range models {
		assert.NotEmpty(t, m.ID)
		assert.NotNil(t, m.Aliases)
		assert.NotNil(t, m.Tags)
	}
}

func TestInvalidCatalogArguments(t *testing.T) {
	t.Parallel()
	s := catalogServer(twoModels)
	c := s.inProcess()
	_, err := c.ListModels(t.Context(), discovery.CatalogOptions{Provider: "acme"})
	requireValueError(t, err, "Provider")
	_, err = c.IsModelSupported(t.Context(), "gpt-4o", discovery.CatalogOptions{Provider: "acme"})
	requireValueError(t, err, "Provider")
	_, err = c.GetModelInfo(t.Context(), "gpt-4o", discovery.CatalogOptions{TTL: -1})
	requireValueError(t, err, "TTL")
	supported, err := c.IsModelSupported(t.Context(), "", discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.False(t, supported)
	m, err := c.GetModelInfo(t.Context(), "", discovery.CatalogOptions{Refresh: true})
	require.NoError(t, err)
	assert.Nil(t, m)
	assert.Zero(t, s.count("catalog"), "nothing was sent")
}

func TestLookupByIDAliasAndNormalizedID(t *testing.T) {
	t.Parallel()
	c := catalogServer(`[{"id":"openai/gpt-4o","developer":"Open AI","aliases":["gpt-4o","shared"]},
		{"id":"shared","developer":"D"},{"id":"late","developer":"D","aliases":["shared","gpt-4o",""]},
		{"id":"x-ai/grok-4-5","developer":"X AI"},{"id":"deepseek-chat","developer":"DeepSeek AI"},
		{"id":"anthropic/claude-opus-4.8","developer":"Anthropic","aliases":["claude-opus-4-8"]},
		{"id":"openai/gpt-4o-2024-05-13","developer":"Open AI"},{"id":"anthropic/claude-sonnet-4.6","developer":"Anthropic"},
		{"id":"acme/gpt-9","developer":"Acme"}]`).inProcess()
	for id, want := range map[string]string{
		"openai/gpt-4o":                     "openai/gpt-4o",
		"gpt-4o":                            "openai/gpt-4o", // the first alias listed
		"shared":                            "shared",        // an id comes before an alias
		"openai/gpt-4o-2024-08-06":          "openai/gpt-4o",
		"deepseek/deepseek-chat-v3.1":       "deepseek-chat",
		"claude-opus-4-8@20260101":          "anthropic/claude-opus-4.8",
		"us.anthropic.claude-opus-4-8-v1:0": "anthropic/claude-opus-4.8",
		"gpt-4o-2024-05-13":                 "openai/gpt-4o-2024-05-13", // a listed build is returned itself
		"claude-sonnet-4-6":                 "anthropic/claude-sonnet-4.6",
		"grok-4.5":                          "x-ai/grok-4-5",
		"GPT-4O":                            "openai/gpt-4o",
		"gpt-9":                             "", // an unknown vendor's prefix is kept
		"gpt-4":                             "",
		"gpt-4o-mini":                       "",
		"nothing":                           "",
		"deepseek-v3.2-terminus":            "",
	} {
		m, err := c.GetModelInfo(t.Context(), id, discovery.CatalogOptions{})
		require.NoError(t, err)
		supported, err := c.IsModelSupported(t.Context(), id, discovery.CatalogOptions{})
		require.NoError(t, err)
		assert.Equal(t, want != "", supported, id)
		if want == "" {
			assert.Nil(t, m, id)
			continue
		}
		require.NotNil(t, m, id)
		assert.Equal(t, want, m.ID, id)
	}
}

func TestProviderSelectsModels(t *testing.T) {
	t.Parallel()
	c := catalogServer(twoModels).inProcess()
	for provider, want := range map[models.Provider][]string{
		models.OpenAI: {"openai/gpt-4o"}, models.XAI: {"x-ai/grok-4-5"}, models.Gemini: {}, "": {"openai/gpt-4o", "x-ai/grok-4-5"},
		"Open AI": {"openai/gpt-4o"}, "X-AI": {"x-ai/grok-4-5"},
	} {
		models, err := c.ListModels(t.Context(), discovery.CatalogOptions{Provider: provider})
		require.NoError(t, err)
		assert.Equal(t, want, ids(models), provider)
	}
	supported, err := c.IsModelSupported(t.Context(), "gpt-4o", discovery.CatalogOptions{Provider: models.XAI})
	require.NoError(t, err)
	assert.False(t, supported)
}

// A reseller's id may also be another spelling for the provider's own row. A lookup for
// the provider must return the provider's row.
func TestResellersRowDoesNotHideTheProvidersOwn(t *testing.T) {
	t.Parallel()
	c := catalogServer(`[{"id":"gpt-4o","developer":"Acme"},{"id":"openai/gpt-4o","developer":"Open AI"}]`).inProcess()
	for provider, want := range map[models.Provider]string{"": "gpt-4o", models.OpenAI: "openai/gpt-4o"} {
		m, err := c.GetModelInfo(t.Context(), "gpt-4o", discovery.CatalogOptions{Provider: provider})
		require.NoError(t, err)
		require.NotNil(t, m, provider)
		assert.Equal(t, want, m.ID)
	}
}

func TestUnlistedBuildMatchesOnlyWithAPastDate(t *testing.T) {
	t.Parallel()
	c := catalogServer(`[{"id":"gpt-4o","developer":"OpenAI"},{"id":"claude-opus-4-5","developer":"Anthropic"},{"id":"gemini-2.5-pro","developer":"Google"},
		{"id":"grok-4","developer":"xAI"},{"id":"gpt-5-2099-12-31","developer":"OpenAI"},{"id":"gpt-5","developer":"OpenAI"}]`).inProcess()
	for id, want := range map[string]string{
		"gpt-4o-2024-08-06":                          "gpt-4o",
		"openai/gpt-4o-2024-08-06":                   "gpt-4o",
		"gpt-4o-2099-12-31":                          "",
		"openai/gpt-4o-2099-12-31":                   "",
		"gpt-4o-2025-02-30":                          "",
		"ft:gpt-4o-2024-08-06:acme-9999-01::x":       "gpt-4o",
		"ft:gpt-4o-2099-08-06:acme::x":               "",
		"claude-opus-4-5-20251101":                   "claude-opus-4-5",
		"claude-opus-4-5@20251101":                   "claude-opus-4-5",
		"us.anthropic.claude-opus-4-5-20251101-v1:0": "claude-opus-4-5",
		"claude-opus-4-5-20991101":                   "",
		"claude-opus-4-5-20250230":                   "",
		"gemini-2.5-pro-preview-06-05":               "gemini-2.5-pro",
		"gemini-2.5-pro-preview-02-30":               "",
		"gemini-2.5-pro-preview-09-2025":             "gemini-2.5-pro",
		"gemini-2.5-pro-preview-09-2099":             "",
		"grok-4-0709":                                "grok-4",
		"grok-4-0231":                                "",
		"x-ai/grok-4-latest":                         "grok-4",
		"gpt-5-2099-12-31":                           "gpt-5-2099-12-31", // listed
		"openai/gpt-5-2099-12-31":                    "gpt-5-2099-12-31",
	} {
		m, err := c.GetModelInfo(t.Context(), id, discovery.CatalogOptions{})
		require.NoError(t, err)
		supported, err := c.IsModelSupported(t.Context(), id, discovery.CatalogOptions{})
		require.NoError(t, err)
		if assert.Equal(t, want != "", m != nil, id) && m != nil {
			assert.Equal(t, want, m.ID, id)
		}
		assert.Equal(t, want != "", supported, id)
	}
}
