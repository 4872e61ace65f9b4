package discoverytest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func TestOpenAIModels(t *testing.T) {
	t.Parallel()
	r := start(t).call(discoverytest.ListOpenAIModels, "")
	assert.Equal(t, 200, r.Status)
	assert.Equal(t, "list", r.Object(t)["object"])
	rows := r.Rows(t, "data")
	assert.Len(t, rows, 13)
	assert.Len(t, withField(rows, "shutdown_date"), 12, "one row does not have it at all")
	dates := notNull(rows, "shutdown_date")
	assert.Len(t, dates, 10, "null on the others")
	for _, date := range dates {
		assert.Regexp(t, `^\d{4}-\d\d-\d\d$`, date)
	}
}

const (
	anthropic = discoverytest.ListAnthropicModels
	allStages = "lifecycle[]=active&lifecycle[]=deprecated&lifecycle[]=retired"
)

func TestAnthropicModelsAreNewestFirst(t *testing.T) {
	t.Parallel()
	r := start(t).call(anthropic, "?limit=1000&"+allStages)
	rows := r.Rows(t, "data")
	assert.Len(t, rows, 25)
	created := nettest.Column(rows, "created_at")
	newestFirst := func(a, b any) int { return strings.Compare(b.(string), a.(string)) }
	assert.True(t, slices.IsSortedFunc(created, newestFirst), created)
	page := r.Object(t)
	assert.Equal(t, rows[0]["id"], page["first_id"])
	assert.Equal(t, rows[24]["id"], page["last_id"])
	assert.Equal(t, false, page["has_more"])
}

func TestAnthropicLifecycleFilter(t *testing.T) {
	t.Parallel()
	s := start(t)
	for query, want := range map[string]map[any]int{
		"":                       {"active": 15, "deprecated": 2},
		"?lifecycle[]=active":    {"active": 15},
		"?lifecycle[]=retired":   {"retired": 8},
		"?limit=50&" + allStages: {"active": 15, "deprecated": 2, "retired": 8},
	} {
		count := map[any]int{}
		for _, stage := range nettest.Column(s.call(anthropic, query).Rows(t, "data"), "lifecycle") {
			count[stage]++
		}
		assert.Equal(t, want, count, query)
	}
	rows := s.call(anthropic, "?lifecycle[]=deprecated").Rows(t, "data")
	assert.Equal(t, []any{"claude-mythos-preview", "claude-sonnet-4-5-20250929"}, nettest.Column(rows, "id"))
	assert.Equal(t, []any{"2026-06-30T00:00:00Z", "2026-11-30T00:00:00Z"}, nettest.Column(rows, "retires_at"), "one has outlived its date")
}

func anthropicPages(s *testServer, query string) (ids []any, pages int) {
	for after := ""; ; pages++ {
		at := query
		if after != "" {
			at += "&after_id=" + url.QueryEscape(after)
		}
		r := s.call(anthropic, at)
		ids = append(ids, nettest.Column(r.Rows(s.t, "data"), "id")...)
		if r.Object(s.t)["has_more"] == false {
			return ids, pages + 1
		}
		after = r.Object(s.t)["last_id"].(string)
	}
}

func TestAnthropicPages(t *testing.T) {
	t.Parallel()
	whole, _ := anthropicPages(start(t), "?limit=1000&"+allStages)
	for name, test := range map[string]struct {
		size  int
		query string
		pages int
	}{
		"20 by default":          {0, "?" + allStages, 2},
		"as many as requested":   {0, "?limit=10&" + allStages, 3},
		"to the row":             {0, "?limit=5&" + allStages, 5},
		"smaller ones":           {7, "?limit=1000&" + allStages, 4},
		"one row each":           {1, "?" + allStages, 25},
		"no larger than asked":   {7, "?limit=5&" + allStages, 5},
		"a size above the limit": {100, "?limit=25&" + allStages, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opts []discoverytest.Option
			if test.size > 0 {
				opts = append(opts, discoverytest.WithPageSize(test.size))
			}
			ids, pages := anthropicPages(start(t, opts...), test.query)
			assert.Equal(t, whole, ids)
			assert.Equal(t, test.pages, pages)
		})
	}
}

func TestAnthropicPageAfterTheLastModelIsEmpty(t *testing.T) {
	t.Parallel()
	r := start(t).call(anthropic, "?after_id=claude-2.1&"+allStages)
	assert.JSONEq(t, `{"data":[],"has_more":false,"first_id":null,"last_id":null}`, r.Body)
}

func TestAnthropicRejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, query := range []string{"?limit=0", "?limit=-5", "?limit=1001", "?limit=many", "?limit=99999999999999999999", "?lifecycle[]=sleeping"} {
		r := s.callInvalid(anthropic, query)
		assert.Equal(t, 400, r.Status, query)
		assert.Contains(t, r.Body, `"type":"invalid_request_error"`)
	}
	assert.Equal(t, 400, s.call(anthropic, "?after_id=unknown").Status)
	assert.Equal(t, 400, s.call(anthropic, "?after_id=claude-2.1").Status, "retired models are not listed")
	r := s.callInvalid(anthropic, "", "Anthropic-Version", "")
	assert.Equal(t, 400, r.Status)
	require.Contains(t, r.Body, "anthropic-version: header is required")
	assert.Equal(t, "error", r.Object(t)["type"])
}

const gemini = discoverytest.ListGeminiModels

func TestGeminiModels(t *testing.T) {
	t.Parallel()
	r := start(t).call(gemini, "")
	assert.Equal(t, "application/json; charset=UTF-8", r.Header.Get("Content-Type"))
	rows := r.Rows(t, "models")
	assert.Len(t, rows, 15)
	for _, name := range nettest.Column(rows, "name") {
		assert.Regexp(t, `^models/`, name)
	}
	for name, n := range map[string]int{
		"thinking": 11, "topK": 12, "displayName": 13, "description": 12, "inputTokenLimit": 13, "supportedGenerationMethods": 14, "baseModelId": 0,
	} {
		assert.Len(t, withField(rows, name), n, name)
		assert.Len(t, notNull(rows, name), n, "%s: empty values are omitted", name)
	}
	assert.NotContains(t, r.Object(t), "nextPageToken", "the last page has none")
}

func geminiPages(s *testServer, query string) (names []any, pages int) {
	for token := ""; ; pages++ {
		at := query
		if token != "" {
			at += "&pageToken=" + url.QueryEscape(token)
		}
		r := s.call(gemini, at)
		names = append(names, nettest.Column(r.Rows(s.t, "models"), "name")...)
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

// After the last model comes an empty page, which proto3 writes as {}.
func TestGeminiPageAfterTheLastModelIsEmpty(t *testing.T) {
	t.Parallel()
	assert.JSONEq(t, `{}`, start(t).call(gemini, "?pageToken="+url.QueryEscape("bW9kZWxzL2FxYQ==")).Body)
}

func TestDeepSeekModels(t *testing.T) {
	t.Parallel()
	rows := start(t).call(discoverytest.ListDeepSeekModels, "").Rows(t, "data")
	assert.Equal(t, []any{"deepseek-flash", "deepseek-v4-flash", "deepseek-chat", "deepseek-reasoner"}, nettest.Column(rows, "id"))
	assert.Equal(t, []any{json.Number("1048576"), json.Number("1048576"), nil, nil}, nettest.Column(rows, "context_window"))
	assert.Equal(t, map[string]any{"id": "deepseek-chat", "object": "model", "owned_by": "deepseek"}, rows[2], "the older shape")
	assert.Empty(t, withField(rows, "created"))
}

func TestXAIModels(t *testing.T) {
	t.Parallel()
	rows := start(t).call(discoverytest.ListXAIModels, "").Rows(t, "data")
	assert.Len(t, rows, 7)
	assert.Len(t, withField(rows, "aliases"), 5)
	assert.Len(t, withField(rows, "context_length"), 5)
	assert.Len(t, withField(rows, "prompt_text_token_price"), 1)
	assert.Len(t, withField(rows, "created"), 7)
	assert.Equal(t, []any{"grok-4.5-latest", "grok-latest"}, rows[0]["aliases"])
}

const billing = discoverytest.CloudBillingListSKUs

func TestSKUs(t *testing.T) {
	t.Parallel()
	r := start(t).call(billing, "?currencyCode=USD&pageSize=5000")
	assert.Equal(t, "application/json; charset=UTF-8", r.Header.Get("Content-Type"))
	recorded, err := os.ReadFile("../testdata/gemini_skus.json")
	require.NoError(t, err)
	assert.JSONEq(t, string(recorded), r.Body, "the recording that package discovery is tested with; its last token is empty")
}

func TestSKUPages(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]int{"?": 1, "?pageSize=45": 2, "?pageSize=46": 1, "?pageSize=10": 5, "?pageSize=1": 46} {
		s, ids, pages := start(t), map[any]bool{}, 0
		for token, more := "", true; more; pages++ {
			r := s.call(billing, query+"&pageToken="+url.QueryEscape(token))
			for _, id := range nettest.Column(r.Rows(t, "skus"), "skuId") {
				assert.False(t, ids[id], "%s: %v twice", query, id)
				ids[id] = true
			}
			token = r.Object(t)["nextPageToken"].(string)
			more = token != ""
		}
		assert.Equal(t, want, pages, query)
		assert.Len(t, ids, 46, query)
	}
}

func TestBillingCatalogRejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	realToken := url.QueryEscape(s.call(billing, "?pageSize=1").Object(t)["nextPageToken"].(string))
	assert.Equal(t, 200, s.call(billing, "?pageToken="+realToken).Status)
	for _, query := range []string{"?pageSize=-1", "?pageSize=many", "?pageSize=0", "?pageSize=5001"} {
		assert.Equal(t, 400, s.callInvalid(billing, query).Status, query)
	}
	for _, query := range []string{"?pageToken=nonsense", "?pageToken=bm9ib2R5", "?pageToken=" + realToken + "!", "?currencyCode=EUR"} {
		assert.Equal(t, 400, s.call(billing, query).Status, query)
	}
	assert.Contains(t, s.callInvalid(billing, "", "X-Goog-Api-Key", "").Body, "PERMISSION_DENIED")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/cloudbilling/v1/services/0000-0000-0000/skus?key="+key, http.NoBody)
	require.NoError(t, err)
	other, err := nettest.Get(s.http, req)
	require.NoError(t, err)
	assert.Equal(t, 404, other.Status, "another service")
}

// Every exchange conforms to the document, page after page.
func TestClientReadsPrices(t *testing.T) {
	t.Parallel()
	s := start(t, discoverytest.WithPageSize(7), discoverytest.WithKeys(map[discovery.Service]string{discovery.ServiceCloudBilling: key}))
	c, reasons := s.client()
	opts := discovery.PricingOptions{APIKey: discovery.NewSecret(key)}
	rows, err := c.FetchGeminiPricing(t.Context(), opts)
	require.NoError(t, err)
	assert.Len(t, rows, 46)
	price, err := c.PricingForGeminiModel(t.Context(), "gemini-3.7-flash", discovery.GeminiPriceQuery{Direction: discovery.Input, PricingOptions: opts})
	require.NoError(t, err)
	require.NotNil(t, price)
	assert.InDelta(t, 0.75, *price, 0)
	assert.Empty(t, reasons())
	all := s.Requests(billing)
	require.Len(t, all, 7)
	for _, r := range all {
		assert.Equal(t, key, r.Keys["X-Goog-Api-Key"].Reveal())
		assert.Empty(t, r.QueryKeys)
		assert.Equal(t, "USD", r.Query.Get("currencyCode"))
	}

	rows, err = c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: discovery.NewSecret(wrongKey)})
	require.NoError(t, err)
	assert.Empty(t, rows)
	assert.Equal(t, []string{"gemini denied"}, reasons())
}
