package discovery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

const (
	adminKey          = "openai.admin.key.of.the.tests"
	anthropicAdminKey = "anthropic.admin.key.of.the.tests"
	managementKey     = "xai.management.key.of.the.tests"
	balanceKey        = "deepseek.key.of.the.tests"
	teamID            = "00000000-0000-4000-8000-00000000000a"

	day1 = int64(1730419200) // 2024-11-01T00:00:00Z
	day  = int64(86400)
)

func costQuery() discovery.OpenAICostQuery {
	return discovery.OpenAICostQuery{StartTime: day1, EndTime: day1 + 7*day, AdminKey: discovery.NewSecret(adminKey)}
}

// reportQuery asks for Anthropic costs from 1 to 7 May 2026.
func reportQuery() discovery.AnthropicCostQuery {
	return discovery.AnthropicCostQuery{Start: mayDay(1), End: mayDay(8), AdminKey: discovery.NewSecret(anthropicAdminKey)}
}

// mayDay is midnight on a day in May 2026.
func mayDay(n int) time.Time { return time.Date(2026, 5, n, 0, 0, 0, 0, time.UTC) }

// openQuery is a query without an end.
func openQuery() discovery.OpenAICostQuery {
	q := costQuery()
	q.EndTime = 0
	return q
}

func usageQuery() discovery.XAICostQuery {
	return discovery.XAICostQuery{StartTime: "2026-05-01T00:00:00Z", EndTime: "2026-05-09 00:00:00", ManagementKey: discovery.NewSecret(managementKey), TeamID: teamID}
}

// result is one result on a page; amount is JSON.
func result(amount, more string) string {
	return fmt.Sprintf(`{"object":"organization.costs.result","amount":{"value":%s,"currency":"usd"}%s}`, amount, more)
}

// costDay is a bucket for day n.
func costDay(n int64, results ...string) string {
	return fmt.Sprintf(`{"object":"bucket","start_time":%d,"end_time":%d,"results":[%s]}`, day1+n*day, day1+(n+1)*day, strings.Join(results, ","))
}

// costPage is a page; next is JSON.
func costPage(more bool, next string, days ...string) string {
	return fmt.Sprintf(`{"object":"page","data":[%s],"has_more":%t,"next_page":%s}`, strings.Join(days, ","), more, next)
}

// costs returns a server with pages of OpenAI costs by cursor; the first page's cursor is
// "". It rejects an escaped "=".
func costs(pages map[string]string) *fakeServer {
	return newFakeServer(map[string]http.HandlerFunc{"openai": func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Query().Get("page")]
		if !ok || strings.Contains(r.URL.RawQuery, "%3D") || r.URL.Path != "/openai/v1/organization/costs" || r.Header.Get("Authorization") != "Bearer "+adminKey {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(page))
	}})
}

// cents is one result in Anthropic's costs; more has further fields.
func cents(amount, more string) string {
	return fmt.Sprintf(`{"amount":%q,"currency":"USD"%s}`, amount, more)
}

// reportDay is an Anthropic bucket for a day in May 2026.
func reportDay(n int, results ...string) string {
	return fmt.Sprintf(`{"starting_at":%q,"ending_at":%q,"results":[%s]}`, mayDay(n).Format(time.RFC3339), mayDay(n+1).Format(time.RFC3339), strings.Join(results, ","))
}

// reportPage is a page of Anthropic costs; next is JSON.
func reportPage(more bool, next string, days ...string) string {
	return fmt.Sprintf(`{"data":[%s],"has_more":%t,"next_page":%s}`, strings.Join(days, ","), more, next)
}

// reports returns a server with pages of Anthropic costs by cursor; the first page's
// cursor is "".
func reports(pages map[string]string) *fakeServer {
	return newFakeServer(map[string]http.HandlerFunc{"anthropic": func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Query().Get("page")]
		if !ok || r.URL.Path != "/anthropic/v1/organizations/cost_report" || r.Header.Get("X-Api-Key") != anthropicAdminKey || r.Header.Get("Anthropic-Version") != "2023-06-01" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(page))
	}})
}

func point(at, value string) string { return fmt.Sprintf(`{"timestamp":%q,"values":[%s]}`, at, value) }

func series(label string, points ...string) string {
	return fmt.Sprintf(`{"group":[%[1]q],"groupLabels":[%[1]q],"dataPoints":[%[2]s]}`, label, strings.Join(points, ","))
}

func usageOf(all ...string) *fakeServer {
	return newFakeServer(map[string]http.HandlerFunc{"xaimanagement": respond(`{"timeSeries":[` + strings.Join(all, ",") + `],"limitReached":false}`)})
}

// requireOneFailure checks that there was one failure and returns it.
func requireOneFailure(t *testing.T, s *fakeServer, reason discovery.Reason) discovery.Failure {
	t.Helper()
	require.Len(t, s.failures, 1)
	assert.Equal(t, reason, s.failures[0].Reason, "%v", s.failures[0])
	assert.Error(t, s.failures[0].Err)
	return s.failures[0]
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
