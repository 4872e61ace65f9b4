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

// recordingTransport answers every request with 500 and records its address and headers.
type recordingTransport struct {
	mu       sync.Mutex
	requests map[string]http.Header
}

func (b *recordingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests[req.Method+" "+req.URL.Scheme+"://"+req.URL.Host+req.URL.EscapedPath()] = req.Header
	w := httptest.NewRecorder()
	w.WriteHeader(http.StatusInternalServerError)
	return w.Result(), nil
}

// Without options, requests go to the real services. Every other test sends them
// elsewhere.
func TestDefaultAddresses(t *testing.T) {
	setKeys(t)
	sent := &recordingTransport{requests: make(map[string]http.Header)}
	c := newClient(discovery.WithHTTPClient(&http.Client{Transport: sent}), discovery.WithLogger(discardLogger))
	_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	_, err = c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: discovery.NewSecret(billingKey)})
	require.NoError(t, err)
	_, err = c.FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{})
	require.NoError(t, err)
	_, err = c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: time.Now().Unix(), AdminKey: discovery.NewSecret(adminKey)})
	require.NoError(t, err)
	_, err = c.FetchAnthropicCostBuckets(t.Context(), reportQuery())
	require.NoError(t, err)
	_, err = c.FetchXAICostBuckets(t.Context(), usageQuery())
	require.NoError(t, err)

	// Each service receives its own key in its own header, and the catalog receives none.
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
		headers, ok := sent.requests[address]
		require.True(t, ok, address)
		delete(sent.requests, address)
		for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
			want := ""
			if name == credential[0] {
				want = credential[1]
			}
			assert.Equal(t, want, headers.Get(name), address)
		}
	}
	assert.Empty(t, sent.requests, "no other requests")
}

// Anthropic requires a version header. Other services must not receive it.
func TestOnlyAnthropicReceivesAVersionHeader(t *testing.T) {
	setKeys(t)
	sent := &recordingTransport{requests: make(map[string]http.Header)}
	c := newClient(discovery.WithHTTPClient(&http.Client{Transport: sent}), discovery.WithLogger(discardLogger))
	_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	require.Len(t, sent.requests, 6)
	known := []string{"User-Agent", "Authorization", "X-Api-Key", "X-Goog-Api-Key", "Anthropic-Version", "If-None-Match"}
	for address, headers := range sent.requests {
		assert.Equal(t, address == "GET https://api.anthropic.com/v1/models", headers.Get("Anthropic-Version") != "", address)
		for name := range headers {
			assert.True(t, slices.Contains(known, name), "%s: %s", address, name)
		}
	}
}

// Each service has its own key: chat keys aren't sent for bills, nor admin keys for model
// lists.
func TestKeysAreNotSharedBetweenServices(t *testing.T) {
	sent := &recordingTransport{requests: make(map[string]http.Header)}
	c := newClient(discovery.WithHTTPClient(&http.Client{Transport: sent}), discovery.WithLogger(discardLogger))
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
	assert.Empty(t, sent.requests, "nothing is sent with chat keys")

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
	assert.Len(t, sent.requests, 1, "the catalog, which needs no key: %v", sent.requests)
	askForBills()
	assert.Len(t, sent.requests, 5, "with their own keys, the other four too")
}
