package discoverytest_test

import (
	"net/http"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/reply"
)

const billing = discoverytest.CloudBillingListSKUs

func TestSKUs(t *testing.T) {
	t.Parallel()
	r := start(t).call(billing, "?currencyCode=USD&pageSize=5000")
	assert.Equal(t, "application/json; charset=UTF-8", r.Header.Get("Content-Type"))
	recorded, err := os.ReadFile("../testdata/gemini_skus.json")
	require.NoError(t, err)
	assert.JSONEq(t, string(recorded), r.Body, "the list is what package discovery is tested with; its last token is empty")
}

func TestSKUPages(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]int{"?": 1, "?pageSize=45": 2, "?pageSize=46": 1, "?pageSize=10": 5, "?pageSize=1": 46} {
		s, ids, pages := start(t), map[any]bool{}, 0
		for token, more := "", true; more; pages++ {
			r := s.call(billing, query+"&pageToken="+url.QueryEscape(token))
			for _, id := range reply.Column(r.Rows(t, "skus"), "skuId") {
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
	other, err := reply.Get(s.http, req)
	require.NoError(t, err)
	assert.Equal(t, 404, other.Status, "another service")
}

// Every exchange keeps to the document, page after page.
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
