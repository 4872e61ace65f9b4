package discovery_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

var discardLogger = slog.New(slog.NewTextHandler(io.Discard, nil))

const twoModels = `{"object":"list","data":[
	{"id":"openai/gpt-4o","aliases":["gpt-4o"],"type":"openai/chat-completions","tags":["tier:tier_2"],
	 "info":{"name":"GPT-4o","developer":"Open AI","description":"Multimodal.","contextLength":128000,"outputMax":16384}},
	{"id":"x-ai/grok-4-5","aliases":["grok-4.5"],"info":{"developer":"X AI","name":"Grok"}}]}`

func catalogServer(body string) *fakeServer {
	return newFakeServer(map[string]http.HandlerFunc{"catalog": respond(body)})
}

// recordedCatalog returns a catalog with recorded rows.
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

func TestOlderFormsOfRows(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text            string
		context, tokens any
	}{
		"today":              {`{"id":"m","info":{"developer":"D","contextLength":10,"outputMax":5}}`, 10, 5},
		"before":             {`{"id":"m","info":{"developer":"D","contextLength":10,"maxTokens":5},"features":["x"]}`, 10, 5},
		"both":               {`{"id":"m","info":{"developer":"D","outputMax":5,"maxTokens":7}}`, nil, 5},
		"flat":               {`{"id":"m","developer":"D","contextLength":10,"maxTokens":5}`, 10, 5},
		"info before flat":   {`{"id":"m","developer":"X","contextLength":1,"info":{"developer":"D","contextLength":10}}`, 10, nil},
		"numbers as strings": {`{"id":"m","info":{"developer":"D","contextLength":"10","outputMax":"5"}}`, 10, 5},
		"0 is unknown":       {`{"id":"m","info":{"developer":"D","contextLength":0,"outputMax":0,"name":"","description":""},"type":""}`, nil, nil},
		"null is unknown":    {`{"id":"m","info":{"developer":"D","contextLength":null,"name":null},"aliases":null,"tags":null,"type":null}`, nil, nil},
		"beyond 64 bits":     {`{"id":"m","info":{"developer":"D","contextLength":9223372036854775808,"outputMax":1e400}}`, nil, nil},
		"fraction":           {`{"id":"m","info":{"developer":"D","contextLength":1.5,"outputMax":1e3}}`, nil, nil},
	} {
		for _, envelope := range []string{`{"object":"list","data":[%s]}`, `{"data":[%s]}`, `[%s]`} {
			m, err := catalogServer(fmt.Sprintf(envelope, row.text)).inProcess().GetModelInfo(t.Context(), "m", discovery.CatalogOptions{})
			require.NoError(t, err)
			require.NotNil(t, m, name)
			assert.Equal(t, "D", m.Developer, name)
			assert.Nil(t, m.Name)
			assert.Nil(t, m.Description)
			assert.Nil(t, m.Type)
			for want, got := range map[any]*int64{fmt.Sprint("c", row.context): m.ContextLength, fmt.Sprint("t", row.tokens): m.MaxTokens} {
				value := "<nil>"
				if got != nil {
					value = fmt.Sprint(*got)
				}
				assert.Equal(t, want.(string)[1:], value, name)
			}
		}
	}
}

func TestModelInfoJSON(t *testing.T) {
	t.Parallel()
	m, err := catalogServer(twoModels).inProcess().GetModelInfo(t.Context(), "grok-4.5", discovery.CatalogOptions{})
	require.NoError(t, err)
	text, err := json.Marshal(m)
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"x-ai/grok-4-5","developer":"X AI","context_length":null,"max_tokens":null,"name":"Grok",
		"description":null,"type":null,"aliases":["grok-4.5"],"tags":[],"source":"catalog"}`, string(text))
}

func TestUnreadableRowsAreLeftOut(t *testing.T) {
	t.Parallel()
	s := catalogServer(`[{"id":"good","developer":"D"},null,7,"x",[],{},{"id":""},{"id":7,"developer":"D"},
		{"id":"aliases","developer":"D","aliases":"x"},{"id":"count","developer":"D","contextLength":"many"},{"id":"also-good","developer":"D"}]`)
	models, err := s.inProcess().ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"good", "also-good"}, ids(models))
	require.Equal(t, []string{"partial"}, s.reasons())
	assert.Contains(t, s.failures[0].Error(), "9 of 11 rows cannot be read, the first one: data[1]")

	models, err = s.inProcess(discovery.WithStrictErrors()).ListModels(t.Context(), discovery.CatalogOptions{})
	assert.Len(t, models, 2, "strict callers get the models and the failure")
	var f discovery.Failure
	require.ErrorAs(t, err, &f)
	assert.Equal(t, discovery.ReasonPartial, f.Reason)
}

func TestRowsOfOneIDAreMerged(t *testing.T) {
	t.Parallel()
	c := catalogServer(`[{"id":"m","developer":"D","type":"a","aliases":["one"],"tags":["t"]},{"id":"other","developer":"D"},
		{"id":"m","developer":"D","type":"b","aliases":["two","one"],"tags":["u"],"contextLength":7}]`).inProcess()
	models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"m", "other"}, ids(models))
	assert.Equal(t, []string{"one", "two"}, models[0].Aliases)
	assert.Equal(t, []string{"t", "u"}, models[0].Tags)
	assert.Equal(t, "a", *models[0].Type)
	assert.Equal(t, int64(7), *models[0].ContextLength)
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
		"gpt-9":                             "", // the prefix of an unknown vendor is kept
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
	for provider, want := range map[discovery.Provider][]string{
		discovery.OpenAI: {"openai/gpt-4o"}, discovery.XAI: {"x-ai/grok-4-5"}, discovery.Gemini: {}, "": {"openai/gpt-4o", "x-ai/grok-4-5"},
		"Open AI": {"openai/gpt-4o"}, "X-AI": {"x-ai/grok-4-5"},
	} {
		models, err := c.ListModels(t.Context(), discovery.CatalogOptions{Provider: provider})
		require.NoError(t, err)
		assert.Equal(t, want, ids(models), provider)
	}
	supported, err := c.IsModelSupported(t.Context(), "gpt-4o", discovery.CatalogOptions{Provider: discovery.XAI})
	require.NoError(t, err)
	assert.False(t, supported)
}

// A reseller may list a model under a name that is also another spelling of the provider's own row. A lookup for the provider
// must return the provider's row.
func TestResellersRowDoesNotHideTheProvidersOwn(t *testing.T) {
	t.Parallel()
	c := catalogServer(`[{"id":"gpt-4o","developer":"Acme"},{"id":"openai/gpt-4o","developer":"Open AI"}]`).inProcess()
	for provider, want := range map[discovery.Provider]string{"": "gpt-4o", discovery.OpenAI: "openai/gpt-4o"} {
		m, err := c.GetModelInfo(t.Context(), "gpt-4o", discovery.CatalogOptions{Provider: provider})
		require.NoError(t, err)
		require.NotNil(t, m, provider)
		assert.Equal(t, want, m.ID)
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
