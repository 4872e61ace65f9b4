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
