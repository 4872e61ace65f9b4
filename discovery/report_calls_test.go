package discovery_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
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

// billedDays is a complete OpenAI report with a bucket per amount, starting on
// 2026-05-01.
func billedDays(amounts ...float64) *discovery.ReconciliationReport[discovery.CostBucket] {
	const day = 24 * 60 * 60
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).Unix()
	end := start + int64(len(amounts))*day
	r := &discovery.ReconciliationReport[discovery.CostBucket]{Provider: models.OpenAI, WindowStart: start, WindowEnd: &end, Complete: true, Settled: true}
	for i, usd := range amounts {
		r.Buckets = append(r.Buckets, discovery.CostBucket{StartTime: start + int64(i)*day, EndTime: start + int64(i+1)*day, TotalUSD: usd})
		r.ActualUSD += usd
	}
	return r
}

// counted has OpenAI costs by day in May 2026; "" is an unpriced call.
func counted(days map[int]prices.USD) *calls.Totals {
	l := newTotals()
	for day, exact := range days {
		at := time.Date(2026, 5, day, 12, 0, 0, 0, time.UTC)
		add(l, at, models.OpenAI, "gpt-5.4", exact)
	}
	return l
}

func TestReportBesideCalls(t *testing.T) {
	t.Parallel()
	report := billedDays(1, 2)
	l := counted(map[int]prices.USD{1: "0.9", 2: "2", 3: "100"}) // the third day isn't in the window
	add(l, time.Date(2026, 5, 1, 1, 0, 0, 0, time.UTC), models.XAI, "grok-4.7", "50")
	with := report.WithCalls(l.Groups())
	assert.Nil(t, report.AttributedUSD, "the report itself does not change")
	assert.InDelta(t, 2.9, *with.AttributedUSD, 0)
	assert.InDelta(t, 0.1, *with.DriftUSD, 0)
	assert.InDelta(t, 3.4482758620689653, *with.DriftPct, 1e-12)
	for percent, want := range map[float64]bool{5: true, 3.4: true, 3.3: false, 0: false} {
		ok, known := with.Within(percent)
		assert.True(t, known)
		assert.Equal(t, want, ok, percent)
	}
	var table bytes.Buffer
	require.NoError(t, with.Table(&table))
	assert.Equal(t, []string{
		"openai billed counted", "2026-05-01 1.00 0.90", "2026-05-02 2.00 2.00",
		"billed 3.00", "counted 2.90", "drift +0.10", "drift % +3.45",
	}, fields(table.String()))

	add(l, time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), models.OpenAI, "gpt-5.4", "7")
	assert.InDelta(t, 2.9, *with.AttributedUSD, 0, "a report does not follow the calls")

	text, err := json.Marshal(with)
	require.NoError(t, err)
	var back discovery.ReconciliationReport[discovery.CostBucket]
	require.NoError(t, json.Unmarshal(text, &back))
	ok, known := back.Within(5)
	assert.True(t, ok && known)
}

// Drift is computed from the exact bill, even if its float64 isn't exact.
func TestDriftFromCallsIsExact(t *testing.T) {
	t.Parallel()
	const amount = "0.12345678901234567890"
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result(amount, "")))})
	sum := newTotals()
	add(sum, time.Unix(day1, 0), models.OpenAI, "gpt-5.4", amount)
	with := reconcileOpenAI(t, s, nil).WithCalls(sum.Groups())
	assert.Zero(t, *with.DriftUSD)
	ok, known := with.Within(0)
	assert.True(t, ok && known)

	with.ActualUSD = 1
	assert.InDelta(t, 1-0.12345678901234568, *with.WithCalls(sum.Groups()).DriftUSD, 1e-15, "a changed amount counts")
}

// fields returns a table's lines with single spaces.
func fields(table string) []string {
	var lines []string
	for line := range strings.Lines(table) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}

func TestWithinWithoutAKnownDrift(t *testing.T) {
	t.Parallel()
	failed := billedDays(1)
	failed.Complete = false
	noon := billedDays(1)
	noon.WindowStart += 12 * 60 * 60
	for name, row := range map[string]struct {
		report *discovery.ReconciliationReport[discovery.CostBucket]
		calls  []calls.Group
		note   string
	}{
		"the bill is not complete": {failed, counted(map[int]prices.USD{1: "1"}).Groups(), "not complete"},
		"calls are unpriced":       {billedDays(1, 1), counted(map[int]prices.USD{1: "1", 2: ""}).Groups(), "drift is unknown: 1"},
		"nothing was counted":      {billedDays(1), counted(nil).Groups(), "no call of openai"},
		"counted on other days":    {billedDays(1), counted(map[int]prices.USD{2: "1"}).Groups(), "no call of openai"},
		"no calls":                 {billedDays(1), nil, "no call of openai"},
		"other days":               {noon, counted(map[int]prices.USD{1: "1"}).Groups(), "counted by UTC days"},
	} {
		with := row.report.WithCalls(row.calls)
		ok, known := with.Within(5)
		assert.False(t, ok || known, name)
		assert.Nil(t, with.DriftUSD, name)
		var table bytes.Buffer
		require.NoError(t, with.Table(&table))
		assert.Contains(t, table.String(), row.note, name)
	}
	good := billedDays(1).WithCalls(counted(map[int]prices.USD{1: "1"}).Groups())
	for _, percent := range []float64{-1, math.NaN(), math.Inf(1)} {
		ok, known := good.Within(percent)
		assert.False(t, ok || known, percent)
	}
	_, known := billedDays(1).Within(5)
	assert.False(t, known)
}

// Unpriced calls are marked on their day, and a day with calls but no bill gets a row,
// too.
func TestReportShowsDaysThatWereNotBilled(t *testing.T) {
	t.Parallel()
	report := billedDays(1, 2)
	report.Buckets = report.Buckets[:1]
	l := counted(map[int]prices.USD{1: "", 2: "2"})
	var table bytes.Buffer
	require.NoError(t, report.WithCalls(l.Groups()).Table(&table))
	lines := fields(table.String())
	assert.Equal(t, []string{"2026-05-01 1.00 0.00 + 1 unpriced", "2026-05-02 0.00 2.00"}, lines[1:3])
}

// A bucket that spans days is compared with the calls on all its days; hourly buckets are
// summed to days.
func TestCallsBesideOtherBuckets(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC).Unix()
	report := &discovery.ReconciliationReport[discovery.TeamCostBucket]{
		Provider: models.XAI, WindowStart: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).Unix(), WindowEnd: &end, Complete: true, Settled: true, ActualUSD: 6,
		Buckets: []discovery.TeamCostBucket{
			{StartTime: "2026-05-01T00:00:00Z", EndTime: "2026-05-04T00:00:00Z", TotalUSD: 1},
			{StartTime: "2026-05-04T00:00:00Z", EndTime: "2026-05-04T01:00:00Z", TotalUSD: 2},
			{StartTime: "2026-05-04T23:00:00Z", EndTime: "2026-05-05T00:00:00Z", TotalUSD: 3},
		},
	}
	l := newTotals()
	for day := 1; day <= 4; day++ {
		add(l, time.Date(2026, 5, day, 12, 0, 0, 0, time.UTC), models.XAI, "grok-4.7", "0.5")
	}
	var table bytes.Buffer
	require.NoError(t, report.WithCalls(l.Groups()).Table(&table))
	assert.Equal(t, []string{"2026-05-01 1.00 1.50", "2026-05-04 5.00 0.50"}, fields(table.String())[1:3])

	report.Buckets[0].StartTime = "2026-05-01T00:00:00+02:00"
	with := report.WithCalls(l.Groups())
	assert.Nil(t, with.AttributedUSD)
	_, known := with.Within(5)
	assert.False(t, known)
}

// Totals and reports built by a program may spell the provider in any way.
func TestCallsOfAnySpellingOfTheProvider(t *testing.T) {
	t.Parallel()
	l := counted(map[int]prices.USD{1: "1"})
	add(l, time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC), "Open AI", "gpt-5.4", "2")
	for _, p := range []models.Provider{models.OpenAI, "Open AI"} {
		report := billedDays(1, 2)
		report.Provider = p
		with := report.WithCalls(l.Groups())
		require.NotNil(t, with.AttributedUSD)
		assert.InDelta(t, 3, *with.AttributedUSD, 0)
		ok, known := with.Within(0)
		assert.True(t, ok && known)
		var table bytes.Buffer
		require.NoError(t, with.Table(&table))
		assert.Regexp(t, `2026-05-02 +2\.00 +2\.00\n`, table.String())
	}
}

// shown is an excerpt from a comparison.
func shown(parts ...bills.Part) (all [][4]string) {
	for _, p := range parts {
		all = append(all, [4]string{p.Name, string(p.BilledUSD), string(p.CountedUSD), string(p.Cause)})
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
	add(l, noon.AddDate(0, 0, 1), models.XAI, "grok-4.7", "") // doesn't affect OpenAI's bill
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

// A bill's model may have any name that the calls have, even one that only you use.
func TestCompareFindsCountedModels(t *testing.T) {
	t.Parallel()
	report := billedDays(6)
	report.Buckets[0].LineItemBreakdown = map[string]float64{"gpt-5.4, input": 1, "my-model, input": 2, "Our-Model, output": 3}
	l := newTotals()
	for name, usd := range map[string]prices.USD{"gpt-5.4": "1", "my-model": "2", "Our-Model": "3"} {
		add(l, mayDay(1), models.OpenAI, name, usd)
	}
	c, err := report.WithCalls(l.Groups()).Compare(0)
	require.NoError(t, err)
	assert.Equal(t, [][4]string{{"gpt-5.4", "1", "1", ""}, {"my-model", "2", "2", ""}, {"our-model", "3", "3", ""}}, shown(c.Models...))
	assert.Empty(t, c.OtherItems)
}

// A report that only has AttributedUSD is compared as a whole.
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

// Groups from other providers, other days, platforms and subscriptions aren't on the
// bill.
func TestReportWithCalls(t *testing.T) {
	t.Parallel()
	report := billedDays(1, 2)
	report.Buckets[0].LineItemBreakdown = map[string]float64{"gpt-5.4, input": 0.9, "web search tool calls": 0.1}
	report.Buckets[1].LineItemBreakdown = map[string]float64{"gpt-5.4, input": 2}
	report.Buckets[1].LineItemQuantities = map[string]discovery.Quantity{"gpt-5.4, input": {Amount: "200", Unit: "tokens"}}
	group := func(usd prices.USD, input int64, by ...string) calls.Group {
		return calls.Group{Names: []string{"day", "model", "provider", "platform", "billing", "unpriced"}[:len(by)], Values: by, Calls: 1, USD: usd, Usage: prices.Usage{Input: input}}
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

// A comparison names line items that no call has, to explain a difference from the bill.
func TestReportNamesLineItemsBesideCalls(t *testing.T) {
	t.Parallel()
	report := discovery.ReconciliationReport[discovery.CostBucket]{
		Provider: models.OpenAI, ActualUSD: 1.5, AttributedUSD: ptr(1.0), Complete: true, Settled: true,
		Buckets: []discovery.CostBucket{
			{TotalUSD: 1.2, LineItemBreakdown: map[string]float64{"gpt-5.4, input": 1, "Vector storage": 0.1, "Code interpreter": 0.1, "": 0}},
			{StartTime: 86_400, EndTime: 172_800, TotalUSD: 0.3, LineItemBreakdown: map[string]float64{"Vector storage": 0.2, "web search tool calls": 0.1}},
		},
	}
	var text strings.Builder
	require.NoError(t, report.Table(&text))
	assert.Contains(t, text.String(), `not in any call: 0.4 USD of the bill are "Code interpreter", "Vector storage"`)

	sessions := discovery.ReconciliationReport[discovery.CostBucket]{
		Provider: models.Anthropic, ActualUSD: 0.45, AttributedUSD: ptr(0.37), Complete: true, Settled: true,
		Buckets: []discovery.CostBucket{{TotalUSD: 0.45, LineItemBreakdown: map[string]float64{"Web Search Usage": 0.37, "Session Usage": 0.08}}},
	}
	text.Reset()
	require.NoError(t, sessions.Table(&text))
	assert.Contains(t, text.String(), `not in any call: 0.08 USD of the bill are "Session Usage"`)

	sessions.AttributedUSD = nil
	text.Reset()
	require.NoError(t, sessions.Table(&text))
	assert.NotContains(t, text.String(), "not in any call")
}
