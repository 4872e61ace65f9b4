package discovery_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

// sendsJSON adds the Content-Type that real servers send.
func sendsJSON(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		next(w, r)
	}
}

// Requests for bills and balances, and the responses of these tests, conform to the documents.
func TestBillsAndBalancesConformToTheDocuments(t *testing.T) {
	t.Parallel()
	answers := costs(map[string]string{
		"":          costPage(true, `"page_b+/="`, costDay(0, result(`"0.1"`, `,"line_item":null,"organization_id":"org-example"`)), costDay(1)),
		"page_b+/=": costPage(false, "null", costDay(2, result("0E-6176", ""), result("-1", ""))),
	}).handlers
	answers["anthropic"] = reports(map[string]string{
		"":          reportPage(true, `"page_b+/="`, reportDay(1, cents("0.1", `,"description":null,"workspace_id":null`)), reportDay(2)),
		"page_b+/=": reportPage(false, "null", reportDay(3, cents("-100", ""))),
	}).handlers["anthropic"]
	answers["deepseek"] = respond(balances(cny, usd))
	answers["xaimanagement"] = respond(`{"timeSeries":[` + series("Chat", point("2026-05-08T00:00:00Z", "1"), point("2026-05-07T00:00:00Z", `"2"`)) + `]}`)
	refusals := maps.Clone(answers)
	for name := range refusals {
		refusals[name] = respondStatus(403, `{"error":{"message":"no"}}`)
	}
	for _, server := range []*fakeServer{newFakeServer(answers), newFakeServer(refusals)} {
		c := &checked{checkers: make(map[string]*contract.Checker), report: func(err error) { t.Error(err) }}
		for name, answer := range server.handlers {
			checker, err := contract.New(name)
			require.NoError(t, err)
			c.checkers[name] = checker
			server.set(name, sendsJSON(answer))
		}
		client, q := server.client(t, discovery.WithHTTPClient(&http.Client{Transport: c})), costQuery()
		q.GroupBy, q.Limit = []discovery.GroupBy{"line_item", "project_id", "api_key_id"}, 180
		_, err := client.FetchOpenAICostBuckets(t.Context(), q)
		require.NoError(t, err)
		report := reportQuery()
		report.GroupBy, report.Limit = []discovery.GroupBy{"workspace_id", "description"}, 31
		_, err = client.FetchAnthropicCostBuckets(t.Context(), report)
		require.NoError(t, err)
		_, err = client.FetchXAICostBuckets(t.Context(), usageQuery())
		require.NoError(t, err)
		_, err = client.FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{APIKey: discovery.NewSecret(balanceKey)})
		require.NoError(t, err)
		assert.NotContains(t, c.checkers["openai"].Unexercised(), "listCosts")
		assert.NotContains(t, c.checkers["anthropic"].Unexercised(), "listCosts")
		assert.NotContains(t, c.checkers["deepseek"].Unexercised(), "getBalance")
		assert.Empty(t, c.checkers["xaimanagement"].Unexercised())
		if len(server.failures) > 0 {
			assert.Equal(t, []string{"openai denied", "anthropic denied", "xai denied", "deepseek denied"}, server.reasons())
		}
	}
}
