package calls_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Subscription is part of USD. For all groups, it's the sum over the groups.
func TestSumOfSubscriptions(t *testing.T) {
	t.Parallel()
	lines := []string{
		lineOf("2026-11-20T23:30:00Z", `,"usd":"0.1","billing":"subscription"`), lineOf("2026-11-20T23:30:00Z", `,"usd":"0.2"`),
		lineOf("2026-11-21T00:30:00Z", `,"usd":"0.4","billing":"subscription"`), lineOf("2026-11-21T00:30:00Z", `,"usd":null,"unpriced":"closed","at_least_usd":"0.3","billing":"subscription"`),
		lineOf("2026-11-22T00:30:00Z", `,"usd":"0.8","billing":"other"`),
	}
	for _, test := range []struct {
		by   []string
		want [][2]prices.USD
	}{
		{nil, [][2]prices.USD{{"1.5", "0.5"}}},
		{[]string{"day"}, [][2]prices.USD{{"0.3", "0.1"}, {"0.4", "0.4"}, {"0.8", "0"}}},
	} {
		rows, err := sumOf(t, calls.Options{By: [][]string{test.by}}, lines...)
		require.NoError(t, err)
		var got [][2]prices.USD
		for _, row := range rows {
			got = append(got, [2]prices.USD{row.USD, row.SubscriptionUSD})
		}
		assert.Equal(t, test.want, got)
	}
}

// FeesUSD is the cost for tool uses, and at most the call's cost.
func TestSumOfFees(t *testing.T) {
	t.Parallel()
	searched := func(more string) string {
		return `{"provider":"anthropic","model":"claude-opus-5","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":1000,"output_tokens":0,"server_tool_use":{"web_search_requests":3}}` + more + "}"
	}
	rows, err := sumOf(t, calls.Options{By: [][]string{{"billing"}}},
		searched(""), searched(`,"usd":"0.5"`), searched(`,"usd":"0.01"`), searched(`,"usd":null,"unpriced":"closed"`), searched(`,"billing":"subscription"`),
		lineOf("2026-11-20T23:30:00Z", ""))
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Equal(t, []prices.USD{"0.07", "0.03"}, []prices.USD{rows[0].FeesUSD, rows[1].FeesUSD})
	assert.Equal(t, []string{"subscription"}, rows[1].Values)
}

// TestSumOfUpstreams checks amounts billed in addition to USD, even if the call's own
// cost is unknown.
func TestSumOfUpstreams(t *testing.T) {
	t.Parallel()
	rows, err := sumOf(t, calls.Options{By: [][]string{{"day"}}},
		lineOf("2026-11-20T23:30:00Z", `,"usd":"0","platform":"openrouter","byok":true,"upstream_usd":"0.5"`),
		lineOf("2026-11-20T23:40:00Z", `,"usd":null,"unpriced":"closed","platform":"openrouter","byok":true,"upstream_usd":"0.25"`),
		lineOf("2026-11-21T00:30:00Z", `,"usd":"0.4"`))
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Equal(t, [2]prices.USD{"0", "0.75"}, [2]prices.USD{rows[0].USD, rows[0].UpstreamUSD})
	assert.Equal(t, [2]prices.USD{"0.4", "0"}, [2]prices.USD{rows[1].USD, rows[1].UpstreamUSD})
}
