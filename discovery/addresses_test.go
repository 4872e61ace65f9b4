package discovery_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// addressBook answers every request with 500 and keeps where it was to go, and with which credentials.
type addressBook struct {
	mu    sync.Mutex
	asked map[string]http.Header
}

func (b *addressBook) RoundTrip(req *http.Request) (*http.Response, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked[req.Method+" "+req.URL.Scheme+"://"+req.URL.Host+req.URL.EscapedPath()] = req.Header
	w := httptest.NewRecorder()
	w.WriteHeader(http.StatusInternalServerError)
	return w.Result(), nil
}

// Without an option the requests go to the real services, at the paths of the source document. Every other test points the
// client elsewhere.
func TestWhereTheRealServicesAre(t *testing.T) {
	setKeys(t)
	book := &addressBook{asked: make(map[string]http.Header)}
	c := discovery.New(discovery.WithHTTPClient(&http.Client{Transport: book}), discovery.WithLogger(quiet))
	_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	_, err = c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: billingKey})
	require.NoError(t, err)
	_, err = c.FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{})
	require.NoError(t, err)
	_, err = c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: time.Now().Unix(), AdminKey: adminKey})
	require.NoError(t, err)
	_, err = c.FetchAnthropicCostBuckets(t.Context(), reportQuery())
	require.NoError(t, err)
	_, err = c.FetchXAICostBuckets(t.Context(), usageQuery())
	require.NoError(t, err)

	// Each service is shown its own key, in its own header, and no other; the catalog none at all.
	for address, credential := range map[string][2]string{
		"GET https://api.aimlapi.com/models":                                                  {},
		"GET https://api.openai.com/v1/models":                                                {"Authorization", "Bearer " + keys["OPENAI_API_KEY"]},
		"GET https://api.deepseek.com/models":                                                 {"Authorization", "Bearer " + keys["DEEPSEEK_API_KEY"]},
		"GET https://api.anthropic.com/v1/models":                                             {"X-Api-Key", keys["ANTHROPIC_API_KEY"]},
		"GET https://generativelanguage.googleapis.com/v1beta/models":                         {"X-Goog-Api-Key", keys["GEMINI_API_KEY"]},
		"GET https://api.x.ai/v1/models":                                                      {"Authorization", "Bearer " + keys["XAI_API_KEY"]},
		"GET https://cloudbilling.googleapis.com/v1/services/AEFD-7695-64FA/skus":             {"X-Goog-Api-Key", billingKey},
		"GET https://api.deepseek.com/user/balance":                                           {"Authorization", "Bearer " + keys["DEEPSEEK_API_KEY"]},
		"GET https://api.openai.com/v1/organization/costs":                                    {"Authorization", "Bearer " + adminKey},
		"GET https://api.anthropic.com/v1/organizations/cost_report":                          {"X-Api-Key", anthropicAdminKey},
		"POST https://management-api.x.ai/v1/billing/teams/" + usageQuery().TeamID + "/usage": {"Authorization", "Bearer " + managementKey},
	} {
		headers, asked := book.asked[address]
		require.True(t, asked, address)
		delete(book.asked, address)
		for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
			want := ""
			if name == credential[0] {
				want = credential[1]
			}
			assert.Equal(t, want, headers.Get(name), address)
		}
	}
	assert.Empty(t, book.asked, "and nowhere else")
}

// Anthropic demands a header that dates its API; nobody else is sent one.
func TestOnlyAnthropicIsSentAVersion(t *testing.T) {
	setKeys(t)
	book := &addressBook{asked: make(map[string]http.Header)}
	c := discovery.New(discovery.WithHTTPClient(&http.Client{Transport: book}), discovery.WithLogger(quiet))
	_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	require.Len(t, book.asked, 6)
	known := []string{"User-Agent", "Authorization", "X-Api-Key", "X-Goog-Api-Key", "Anthropic-Version", "If-None-Match"}
	for address, headers := range book.asked {
		assert.Equal(t, address == "GET https://api.anthropic.com/v1/models", headers.Get("Anthropic-Version") != "", address)
		for name := range headers {
			assert.True(t, slices.Contains(known, name), "%s: %s", address, name)
		}
	}
}

// Each service has a key of its own: a key of the chat reads no bills, and one that can manage an organization lists no models.
func TestNoKeyStandsInForAnother(t *testing.T) {
	book := &addressBook{asked: make(map[string]http.Header)}
	c := discovery.New(discovery.WithHTTPClient(&http.Client{Transport: book}), discovery.WithLogger(quiet))
	askForBills := func() {
		_, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{})
		require.NoError(t, err)
		_, err = c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: day1})
		require.NoError(t, err)
		_, err = c.FetchAnthropicCostBuckets(t.Context(), discovery.AnthropicCostQuery{Start: mayDay(1)})
		require.NoError(t, err)
		_, err = c.FetchXAICostBuckets(t.Context(), discovery.XAICostQuery{StartTime: "2026-05-01T00:00:00Z", EndTime: "2026-05-09T00:00:00Z", TeamID: teamID})
		require.NoError(t, err)
	}
	setKeys(t)
	askForBills()
	assert.Empty(t, book.asked, "with the keys of the chat")

	for name := range keys {
		t.Setenv(name, "")
	}
	for _, name := range []string{"OPENAI_ADMIN_KEY", "ANTHROPIC_ADMIN_KEY", "GOOGLE_CLOUD_BILLING_API_KEY", "GOOGLE_CLOUD_API_KEY", "XAI_MANAGEMENT_KEY"} {
		t.Setenv(name, "another.key.of.the.tests")
	}
	_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	_, err = c.Retirements(t.Context())
	require.NoError(t, err)
	_, err = c.FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{})
	require.NoError(t, err)
	assert.Len(t, book.asked, 1, "the catalog, which needs no key: %v", book.asked)
	askForBills()
	assert.Len(t, book.asked, 5, "and with their own keys the other four")
}
