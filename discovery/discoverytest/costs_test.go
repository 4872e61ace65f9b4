package discoverytest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// Package discovery's tests check valid responses against their documents, with the real
// client.
func TestBillsAndBalancesRejectInvalidRequests(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	for name, row := range map[string]struct {
		method, path, body string
		status             int
	}{
		"no start":        {"GET", "/openai/v1/organization/costs", "", 400},
		"start of 0":      {"GET", "/openai/v1/organization/costs?start_time=0", "", 400},
		"endless start":   {"GET", "/openai/v1/organization/costs?start_time=9223372036854775808", "", 400},
		"limit of 181":    {"GET", "/openai/v1/organization/costs?start_time=1&limit=181", "", 400},
		"bad end":         {"GET", "/openai/v1/organization/costs?start_time=1&end_time=x", "", 400},
		"end at start":    {"GET", "/openai/v1/organization/costs?start_time=86400&end_time=86400", "", 400},
		"end first":       {"GET", "/openai/v1/organization/costs?start_time=86400&end_time=1", "", 400},
		"bad group":       {"GET", "/openai/v1/organization/costs?start_time=1&group_by=nonsense", "", 400},
		"group twice":     {"GET", "/openai/v1/organization/costs?start_time=1&group_by=line_item&group_by[]=line_item", "", 400},
		"two groups":      {"GET", "/openai/v1/organization/costs?start_time=1&group_by=line_item&group_by=project_id", "", 200},
		"hours":           {"GET", "/openai/v1/organization/costs?start_time=1&bucket_width=1h", "", 400},
		"bad cursor":      {"GET", "/openai/v1/organization/costs?start_time=1&page=x", "", 400},
		"escaped cursor":  {"GET", "/openai/v1/organization/costs?start_time=1&page=page_86400%3D", "", 200},
		"good cursor":     {"GET", "/openai/v1/organization/costs?start_time=1&end_time=172800&group_by=api_key_id&page=page_86400=", "", 200},
		"a: no start":     {"GET", "/anthropic/v1/organizations/cost_report", "", 400},
		"a: Unix start":   {"GET", "/anthropic/v1/organizations/cost_report?starting_at=1777593600", "", 400},
		"a: bad end":      {"GET", "/anthropic/v1/organizations/cost_report?starting_at=2026-05-01T00:00:00Z&ending_at=x", "", 400},
		"a: empty window": {"GET", "/anthropic/v1/organizations/cost_report?starting_at=2026-05-01T00:00:00Z&ending_at=2026-05-01T00:00:00Z", "", 400},
		"a: limit of 32":  {"GET", "/anthropic/v1/organizations/cost_report?starting_at=2026-05-01T00:00:00Z&limit=32", "", 400},
		"a: hours":        {"GET", "/anthropic/v1/organizations/cost_report?starting_at=2026-05-01T00:00:00Z&bucket_width=1h", "", 400},
		"a: bad group":    {"GET", "/anthropic/v1/organizations/cost_report?starting_at=2026-05-01T00:00:00Z&group_by[]=line_item", "", 400},
		"a: group twice":  {"GET", "/anthropic/v1/organizations/cost_report?starting_at=2026-05-01T00:00:00Z&group_by[]=description&group_by[]=description", "", 400},
		"a: end first":    {"GET", "/anthropic/v1/organizations/cost_report?starting_at=2026-05-02T00:00:00Z&ending_at=2026-05-01T00:00:00Z", "", 400},
		"a: bad cursor":   {"GET", "/anthropic/v1/organizations/cost_report?starting_at=2026-05-01T00:00:00Z&page=x", "", 400},
		"a: good":         {"GET", "/anthropic/v1/organizations/cost_report?starting_at=2026-05-01T12:00:00Z&group_by[]=workspace_id", "", 200},
		"u: no start":     {"GET", "/anthropic/v1/organizations/usage_report/messages", "", 400},
		"u: bad group":    {"GET", "/anthropic/v1/organizations/usage_report/messages?starting_at=2026-05-01T00:00:00Z&group_by[]=description", "", 400},
		"u: good":         {"GET", "/anthropic/v1/organizations/usage_report/messages?starting_at=2026-05-01T00:00:00Z&group_by[]=model", "", 200},
		"no body":         {"POST", "/xaimanagement/v1/billing/teams/t/usage", "", 400},
		"bad zone":        {"POST", "/xaimanagement/v1/billing/teams/t/usage", usage("2026-05-01 00:00:00", "2026-05-02 00:00:00", "Mars/Base", "TIME_UNIT_DAY"), 400},
		"bad time":        {"POST", "/xaimanagement/v1/billing/teams/t/usage", usage("2026-05-01T00:00:00Z", "2026-05-02 00:00:00", "Etc/GMT", "TIME_UNIT_DAY"), 400},
		"bad end time":    {"POST", "/xaimanagement/v1/billing/teams/t/usage", usage("2026-05-01 00:00:00", "2026-05-02", "Etc/GMT", "TIME_UNIT_DAY"), 400},
		"zone of 7":       {"POST", "/xaimanagement/v1/billing/teams/t/usage", strings.Replace(usage("2026-05-01 00:00:00", "2026-05-02 00:00:00", "", "TIME_UNIT_DAY"), `"timezone":""`, `"timezone":7`, 1), 400},
		"empty usage":     {"POST", "/xaimanagement/v1/billing/teams/t/usage", usage("2026-05-01 00:00:00", "2026-05-01 00:00:00", "Etc/GMT", "TIME_UNIT_DAY"), 400},
		"usage backwards": {"POST", "/xaimanagement/v1/billing/teams/t/usage", usage("2026-05-02 00:00:00", "2026-05-01 00:00:00", "Etc/GMT", "TIME_UNIT_NONE"), 400},
		"no groupBy":      {"POST", "/xaimanagement/v1/billing/teams/t/usage", strings.Replace(usage("2026-05-01 00:00:00", "2026-05-02 00:00:00", "Etc/GMT", "TIME_UNIT_DAY"), `"groupBy":[],`, "", 1), 400},
		"unknown field":   {"POST", "/xaimanagement/v1/billing/teams/t/usage", strings.Replace(usage("2026-05-01 00:00:00", "2026-05-02 00:00:00", "Etc/GMT", "TIME_UNIT_DAY"), `"groupBy"`, `"group":[],"groupBy"`, 1), 400},
		"two years":       {"POST", "/xaimanagement/v1/billing/teams/t/usage", usage("2024-05-01 00:00:00", "2026-05-02 00:00:00", "Etc/GMT", "TIME_UNIT_DAY"), 400},
		"by the hour":     {"POST", "/xaimanagement/v1/billing/teams/t/usage", usage("2026-05-01 00:00:00", "2026-05-02 00:00:00", "Etc/GMT", "TIME_UNIT_HOUR"), 200},
		"unknown unit":    {"POST", "/xaimanagement/v1/billing/teams/t/usage", usage("2026-05-01 00:00:00", "2026-05-02 00:00:00", "Etc/GMT", "TIME_UNIT_YEAR"), 400},
		"by the second":   {"POST", "/xaimanagement/v1/billing/teams/t/usage", usage("2026-05-01 00:00:00", "2026-05-02 00:00:00", "Etc/GMT", "TIME_UNIT_SECOND"), 400}, // 86,400 buckets
		"good usage":      {"POST", "/xaimanagement/v1/billing/teams/t/usage", usage("2026-05-01 00:00:00", "2026-05-02 00:00:00", "Etc/GMT", "TIME_UNIT_DAY"), 200},
		"balance":         {"GET", "/deepseek/user/balance", "", 200},
	} {
		for _, key := range []string{"", "a.key.of.the.tests"} {
			req, err := http.NewRequestWithContext(t.Context(), row.method, s.URL+row.path, strings.NewReader(row.body))
			require.NoError(t, err)
			want := row.status
			if key == "" {
				want = http.StatusUnauthorized
			} else {
				req.Header.Set("Authorization", "Bearer "+key)
				req.Header.Set("X-Api-Key", key)
				req.Header.Set("Anthropic-Version", "2023-06-01")
			}
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, resp.Body)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, want, resp.StatusCode, name)
		}
	}
}

func usage(start, end, zone, unit string) string {
	return `{"analyticsRequest":{"timeRange":{"startTime":"` + start + `","endTime":"` + end + `","timezone":"` + zone + `"},"timeUnit":"` + unit +
		`","values":[{"name":"usd","aggregation":"AGGREGATION_SUM"}],"groupBy":[],"filters":[]}}`
}

func TestCostsOfOtherProjectsAndKeys(t *testing.T) {
	t.Parallel()
	client, err := discovery.New(discoverytest.New(t).Options()...)
	require.NoError(t, err)
	query := discovery.OpenAICostQuery{StartTime: 86400, EndTime: 2 * 86400, AdminKey: discovery.NewSecret("an.admin.key.of.the.tests")}
	for _, c := range []struct {
		projects, keys []string
		total          float64
	}{{nil, nil, 4.25}, {[]string{"proj_example"}, []string{"a", "key_example"}, 4.25}, {[]string{"a"}, nil, 0}, {nil, []string{"a"}, 0}} {
		query.ProjectIDs, query.APIKeyIDs = c.projects, c.keys
		days, err := client.FetchOpenAICostBuckets(t.Context(), query)
		require.NoError(t, err)
		require.Len(t, days, 1)
		assert.InDelta(t, c.total, days[0].TotalUSD, 0)
	}
}
