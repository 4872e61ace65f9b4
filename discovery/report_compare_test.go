package discovery_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// shown is a part of a comparison, for tests.
func shown(parts ...bills.Part) (all [][4]string) {
	for _, p := range parts {
		all = append(all, [4]string{p.Name, string(p.Billed), string(p.Counted), string(p.Cause)})
	}
	return all
}

func TestCompareByDayAndModel(t *testing.T) {
	t.Parallel()
	report := billedDays(0.3, 1, 0)
	report.Buckets[0].LineItemBreakdown = map[string]float64{"gpt-4o-2024-08-06, input": 0.1, "gpt-4o-2024-11-20, input": 0.2}
	report.Buckets[1].LineItemBreakdown = map[string]float64{"gpt-5.4, input": 0.9, "Vector storage": 0.1, "Credit": 0}
	l := newTotals()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	add(l, noon, models.OpenAI, "gpt-4o", "0.1")
	add(l, noon, models.OpenAI, "openai/gpt-4o-2024-08-06", "0.2000000000000001")
	add(l, noon.AddDate(0, 0, 1), models.OpenAI, "gpt-none", "")
	add(l, noon.AddDate(0, 0, 1), models.XAI, "grok-4.7", "") // does not affect OpenAI's bill
	c, err := report.WithCalls(l.Groups()).Compare(0)
	require.NoError(t, err)
	assert.Equal(t, [][4]string{{"", "1.3", "0.3000000000000001", "mixed"}}, shown(c.Total))
	assert.Equal(t, 1, c.Total.Unpriced)
	assert.Equal(t, [][4]string{{"2026-05-01", "0.3", "0.3000000000000001", ""}, {"2026-05-02", "1", "0", "not_counted_model"}, {"2026-05-03", "0", "0", ""}}, shown(c.Days...))
	assert.Equal(t, [][4]string{{"gpt-4o", "0.3", "0.3000000000000001", ""}, {"gpt-5.4", "0.9", "0", "not_counted_model"}, {"gpt-none", "0", "0", ""}}, shown(c.Models...))
	assert.Equal(t, []string{"Vector storage"}, c.OtherItems)

	report.Complete = false
	_, err = report.Compare(0)
	require.Error(t, err)
	_, err = billedDays(1).Compare(math.NaN())
	require.Error(t, err)
}

// Of a report with AttributedUSD alone the whole is compared.
func TestCompareWithASum(t *testing.T) {
	t.Parallel()
	report := billedDays(1, 2)
	report.AttributedUSD = ptr(2.95)
	c, err := report.Compare(0)
	require.NoError(t, err)
	assert.Equal(t, [][4]string{{"", "3", "2.95", "amount_differs"}}, shown(c.Total))
	assert.True(t, c.Within)
	report.AttributedUSD = nil
	c, err = report.Compare(0)
	require.NoError(t, err)
	assert.False(t, c.Within || c.Known)
	assert.Zero(t, c.Calls)
}

// Groups of other providers and days, on platforms and of subscriptions are not on a bill.
func TestReportWithCalls(t *testing.T) {
	t.Parallel()
	report := billedDays(1, 2)
	report.Buckets[0].LineItemBreakdown = map[string]float64{"gpt-5.4, input": 0.9, "web search tool calls": 0.1}
	report.Buckets[1].LineItemBreakdown = map[string]float64{"gpt-5.4, input": 2}
	report.Buckets[1].LineItemQuantities = map[string]discovery.Quantity{"gpt-5.4, input": {Amount: "200", Unit: "tokens"}}
	group := func(usd prices.USD, input int64, by ...string) calls.Group {
		return calls.Group{By: by, Calls: 1, USD: usd, Usage: prices.Usage{Input: input}}
	}
	searched := group("1", 90, "2026-05-01", "gpt-5.4", "openai", "", "")
	searched.FeesUSD = "0.1"
	r := report.WithCalls([]calls.Group{
		searched, group("1", 100, "2026-05-02", "gpt-5.4", "openai", "", "", ""), group("7", 100, "2026-05-02", "gpt-5.4", "openai", "azure", ""),
		group("7", 100, "2026-05-02", "gpt-5.4", "openai", "", "subscription"), group("7", 100, "2026-05-02", "gpt-5.4", "xai", "", ""),
		group("7", 100, "2026-05-03", "gpt-5.4", "openai", "", ""), group("7", 100, "2026-04-30", "gpt-5.4", "openai", "", ""),
	})
	require.NotNil(t, r.AttributedUSD)
	assert.InDelta(t, 2, *r.AttributedUSD, 0)
	c, err := r.Compare(50)
	require.NoError(t, err)
	assert.Equal(t, [][4]string{{"2026-05-01", "1", "1", ""}, {"2026-05-02", "2", "1", "missing_calls"}}, shown(c.Days...))
	assert.Equal(t, []bills.Effect{{Cause: bills.MissingCalls, USD: "1"}}, c.Total.Effects, "the search has no effect")
	assert.True(t, c.Within)
	assert.Panics(t, func() { report.WithCalls([]calls.Group{group("1", 1, "2026-05-01", "gpt-5.4", "openai")}) })
	assert.Panics(t, func() { report.WithCalls([]calls.Group{group("1", 1, "gpt-5.4", "2026-05-01", "openai", "", "")}) })
}

// A team's bill has no kinds and no tokens.
func TestCompareOfATeam(t *testing.T) {
	t.Parallel()
	team := discovery.ReconciliationReport[discovery.TeamCostBucket]{Provider: models.XAI, WindowEnd: ptr(int64(1 << 31)), ActualUSD: 3, Complete: true, Buckets: []discovery.TeamCostBucket{{
		StartTime: "2026-05-01T00:00:00Z", EndTime: "2026-05-02T00:00:00Z", TotalUSD: 3,
		LineItems: []discovery.LineItem{{Description: "Chat grok-4.7", USD: 1}, {Description: "API grok-4.7", USD: 2}},
	}}}
	c, err := team.Compare(0)
	require.NoError(t, err)
	assert.Equal(t, [][4]string{{"grok-4.7", "3", "0", "not_counted_model"}}, shown(c.Models...))
}
