package discoverytest_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/reply"
)

const gemini = discoverytest.ListGeminiModels

func TestGeminiModels(t *testing.T) {
	t.Parallel()
	r := start(t).call(gemini, "")
	assert.Equal(t, "application/json; charset=UTF-8", r.Header.Get("Content-Type"))
	rows := r.Rows(t, "models")
	assert.Len(t, rows, 15)
	for _, name := range reply.Column(rows, "name") {
		assert.Regexp(t, `^models/`, name)
	}
	for name, n := range map[string]int{
		"thinking": 11, "topK": 12, "displayName": 13, "description": 12, "inputTokenLimit": 13, "supportedGenerationMethods": 14, "baseModelId": 0,
	} {
		assert.Len(t, withField(rows, name), n, name)
		assert.Len(t, notNull(rows, name), n, "%s: what is empty is left out", name)
	}
	assert.NotContains(t, r.Object(t), "nextPageToken", "the last page has none")
}

// geminiPages follows the pages to the end.
func geminiPages(s *testServer, query string) (names []any, pages int) {
	for token := ""; ; pages++ {
		at := query
		if token != "" {
			at += "&pageToken=" + url.QueryEscape(token)
		}
		r := s.call(gemini, at)
		names = append(names, reply.Column(r.Rows(s.t, "models"), "name")...)
		next, more := r.Object(s.t)["nextPageToken"]
		if !more {
			return names, pages + 1
		}
		token = next.(string)
	}
}

func TestGeminiPages(t *testing.T) {
	t.Parallel()
	whole, pages := geminiPages(start(t), "?")
	assert.Equal(t, 1, pages)
	for query, want := range map[string]int{"?pageSize=4": 4, "?pageSize=5": 3, "?pageSize=1": 15, "?pageSize=15": 1, "?pageSize=1000": 1} {
		names, pages := geminiPages(start(t), query)
		assert.Equal(t, whole, names, query)
		assert.Equal(t, want, pages, query)
	}
	names, pages := geminiPages(start(t, discoverytest.WithPageSize(2)), "?pageSize=1000")
	assert.Equal(t, whole, names)
	assert.Equal(t, 8, pages)
}

func TestGeminiPageSize(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, query := range []string{"?pageSize=0", "?pageSize=1001", "?pageSize=", "?pageSize=-1", "?pageSize=many"} {
		r := s.callInvalid(gemini, query)
		assert.Equal(t, 400, r.Status)
		assert.Contains(t, r.Body, `"status":"INVALID_ARGUMENT"`)
		assert.NotContains(t, r.Body, "API_KEY_INVALID")
	}
}

func TestGeminiRejectsUnknownPageTokens(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, token := range []string{"nonsense", "bW9kZWxzL25vYm9keQ==", "%20"} {
		assert.Equal(t, 400, s.call(gemini, "?pageToken="+token).Status, token)
	}
}

// A model whose list has ended is the last one: behind it there is an empty page, which proto3 writes as {}.
func TestGeminiPageAfterTheLastModelIsEmpty(t *testing.T) {
	t.Parallel()
	assert.JSONEq(t, `{}`, start(t).call(gemini, "?pageToken="+url.QueryEscape("bW9kZWxzL2FxYQ==")).Body)
}
