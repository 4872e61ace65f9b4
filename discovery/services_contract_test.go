// These tests compare every operation's requests and responses with the services'
// documents.

package discovery_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

// checked checks every exchange against the document that the first path segment selects.
type checked struct {
	checkers map[string]*contract.Checker
	report   func(error)
}

func (c *checked) RoundTrip(req *http.Request) (*http.Response, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	checker, ok := c.checkers[name]
	if !ok {
		c.report(fmt.Errorf("%s belongs to no document", req.URL.Path))
		return http.DefaultTransport.RoundTrip(req)
	}
	return checker.Transport(http.DefaultTransport, "/"+name, c.report).RoundTrip(req)
}

func TestExchangesConformToTheDocuments(t *testing.T) {
	setKeys(t)
	c := &checked{checkers: make(map[string]*contract.Checker), report: func(err error) { t.Error(err) }}
	for _, name := range []string{"catalog", "openai", "deepseek", "anthropic", "gemini", "xai", "cloudbilling", "xaimanagement"} {
		checker, err := contract.New(name)
		require.NoError(t, err)
		c.checkers[name] = checker
	}
	server := discoverytest.New(t, discoverytest.WithPageSize(3))
	client := newClient(append(server.Options(),
		discovery.WithHTTPClient(&http.Client{Transport: c}), discovery.WithLogger(discardLogger), discovery.WithOutageTTL(0))...)
	for range 2 { // the second time with an ETag
		_, err := client.ListModels(t.Context(), discovery.CatalogOptions{Refresh: true})
		require.NoError(t, err)
	}
	server.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: http.StatusBadGateway, Body: "busy"})
	models, err := client.ListModels(t.Context(), discovery.CatalogOptions{Refresh: true})
	require.NoError(t, err)
	assert.Greater(t, len(models), 40, "the five lists, page after page")
	_, err = client.Retirements(t.Context())
	require.NoError(t, err)
	requestBills(t, client)
	for name, checker := range c.checkers {
		assert.Empty(t, checker.Unexercised(), name)
	}
	for _, r := range server.Requests() {
		assert.Empty(t, r.QueryKeys, "no key in a URL")
		_, err := url.ParseQuery(r.Query.Encode())
		require.NoError(t, err)
	}
}

// requestBills calls every operation for bills and balances, with several pages if lists
// are paged.
func requestBills(t *testing.T, client *discovery.Client) {
	t.Helper()
	balance, err := client.FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{})
	require.NoError(t, err)
	assert.InDelta(t, 42.5, balance.TotalBalance, 0)

	prices, err := client.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: discovery.NewSecret("a.billing.key.of.the.tests")})
	require.NoError(t, err)
	assert.Greater(t, len(prices), 40)

	list, err := client.LivePrices(t.Context(), nil)
	require.NoError(t, err)
	rows := list.ForModel(models.XAI, "grok-4.7")
	require.Len(t, rows, 4, "live rows and table rows")
	assert.Equal(t, discovery.SourceLanguageModels, rows[0].Source)

	today := time.Now().UTC().Truncate(24 * time.Hour)
	days, err := client.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{
		StartTime: today.AddDate(0, 0, -10).Unix(), EndTime: today.Unix(), AdminKey: discovery.NewSecret("an.admin.key.of.the.tests"), Limit: 3,
		GroupBy:    []discovery.GroupBy{discovery.GroupByLineItem, discovery.GroupByProjectID},
		ProjectIDs: []string{"proj_other", "proj_example"}, APIKeyIDs: []string{"key_example"},
	})
	require.NoError(t, err)
	require.Len(t, days, 10)
	assert.NotZero(t, days[0].TotalUSD)
	assert.InDelta(t, 4.25, days[9].TotalUSD, 0)
	assert.Equal(t, map[string]float64{"gpt-5.6, input_tokens": 3.75, "gpt-5.6, output_tokens": 0.5}, days[0].LineItemBreakdown)

	days, err = client.FetchAnthropicCostBuckets(t.Context(), discovery.AnthropicCostQuery{
		Start: today.AddDate(0, 0, -10), End: today, AdminKey: discovery.NewSecret("an.admin.key.of.the.tests"), Limit: 31,
		GroupBy: []discovery.GroupBy{discovery.GroupByWorkspaceID, discovery.GroupByDescription}, Quantities: true,
	})
	require.NoError(t, err)
	require.Len(t, days, 10)
	assert.Len(t, days[0].UsageResults, 1)
	assert.InDelta(t, 2.125, days[9].TotalUSD, 0)
	assert.Equal(t, map[string]float64{"wrkspc_example": 2.1025, "": 0.0225}, days[0].WorkspaceBreakdown)

	attributed := 5.0
	report, err := client.ReconcileXAICost(t.Context(), discovery.XAICostQuery{
		StartTime: today.AddDate(0, 0, -4).Format(time.RFC3339), EndTime: today.Format(time.RFC3339),
		ManagementKey: discovery.NewSecret("a.management.key.of.the.tests"), TeamID: "team-1",
	}, &attributed)
	require.NoError(t, err)
	assert.True(t, report.Complete)
	assert.InDelta(t, 5.2, report.ActualUSD, 0)
	assert.InDelta(t, 0.2, *report.DriftUSD, 0)
	assert.InDelta(t, 4, *report.DriftPct, 0)
}

// sendsJSON adds the Content-Type that real servers send.
func sendsJSON(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		next(w, r)
	}
}

// Requests for bills and balances, and these tests' responses, conform to the documents.
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
