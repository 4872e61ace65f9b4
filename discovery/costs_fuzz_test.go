package discovery_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// sumOf adds amounts with math/big; ok is false if one is invalid.
func sumOf(amounts []json.RawMessage) (total float64, ok bool) {
	sum := new(big.Rat)
	for _, raw := range amounts {
		text := string(raw)
		var quoted string
		if json.Unmarshal(raw, &quoted) == nil && text != "null" {
			text = quoted
		}
		value, readable := reference(text)
		if !readable {
			return 0, false
		}
		sum.Add(sum, value)
	}
	total, _ = sum.Float64()
	return total, true
}

// FuzzCostPage feeds any bytes as a page of costs: no panic, and either nothing and one
// failure, or ordered buckets whose totals equal the sum that math/big computes from
// their raw results.
func FuzzCostPage(f *testing.F) {
	for _, seed := range []string{
		goodCosts, costPage(false, "null", costDay(0, result("0E-6176", ""), result(`"0.1"`, "")), costDay(1)), costPage(true, `"p2"`), `{}`, `null`, `[]`,
		costPage(false, "null", costDay(1, result("1e29", "")), costDay(0, result("-1", ""))), costPage(false, "null", costDay(0), costDay(0)),
		`{"data":[{"start_time":1,"end_time":2,"results":[{"amount":{"value":1,"currency":"eur"}}]}],"has_more":false}`,
		`{"data":[{"start_time":1,"end_time":2,"results":[{"amount":{"value":1,"value":"2"}}]}],"has_more":false}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := newFakeServer(map[string]http.HandlerFunc{"openai": respond(string(body))})
		q := costQuery()
		q.GroupBy = []discovery.GroupBy{"line_item", "project_id", "api_key_id"}
		report, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, nil)
		require.NoError(t, err)
		if !checkComplete(t, s, report) {
			return
		}
		assert.True(t, json.Valid(body))
		var all []json.RawMessage
		for i, b := range report.Buckets {
			assert.Less(t, b.StartTime, b.EndTime)
			assert.True(t, i == 0 || report.Buckets[i-1].EndTime <= b.StartTime)
			amounts := make([]json.RawMessage, len(b.RawResults))
			for j, raw := range b.RawResults {
				amounts[j] = lastValue(t, raw)
			}
			all = append(all, amounts...)
			total, ok := sumOf(amounts)
			assert.True(t, ok)
			assert.Equal(t, total, b.TotalUSD)
			assert.Equal(t, "usd", b.Currency)
			assert.Equal(t, len(b.RawResults) == 0, len(b.LineItemBreakdown) == 0)
		}
		total, _ := sumOf(all)
		assert.Equal(t, total, report.ActualUSD)
		_, err = json.Marshal(report)
		require.NoError(t, err)
	})
}

// checkComplete returns report.Complete. A complete report has no failure; an incomplete
// one is empty and has one.
func checkComplete[B discovery.Bucket](t *testing.T, s *fakeServer, report *discovery.ReconciliationReport[B]) bool {
	t.Helper()
	if report.Complete {
		assert.Empty(t, s.failures)
		return true
	}
	assert.Empty(t, report.Buckets)
	assert.Zero(t, report.ActualUSD)
	require.Len(t, s.failures, 1)
	return false
}

// lastValue returns a result's amount.value. encoding/json would match names in any case,
// so this walks by hand; the last of two equal names counts.
func lastValue(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	for _, name := range []string{"amount", "value"} {
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &fields))
		raw = fields[name]
	}
	return bytes.TrimSpace(raw)
}

// FuzzUsage feeds any bytes as usage series: no panic, and either nothing and one
// failure, or ordered buckets whose totals equal the sum that math/big computes from
// their raw points.
func FuzzUsage(f *testing.F) {
	for _, seed := range []string{
		goodUsage, `{}`, `null`, `[]`, `{"timeSeries":null}`, `{"limitReached":true}`, `{"error":"x"}`, `{"timeSeries":[{}]}`,
		`{"timeSeries":[` + series("a", point("2026-06-08T04:00:00Z", "1"), point("2026-06-07 00:00:00", "-2.5")) + `,` + series("b", point("2026-06-08T06:00:00+02:00", `"0E-6176"`)) + `]}`,
		`{"timeSeries":[{"dataPoints":[{"timestamp":"0001-01-01T00:00:00Z","values":[1]},{"timestamp":"9999-12-31T23:59:59Z","values":[2]}]}]}`,
	} {
		for unit := range byte(8) {
			f.Add([]byte(seed), unit)
		}
	}
	units := []discovery.TimeUnit{"TIME_UNIT_DAY", "TIME_UNIT_HOUR", "TIME_UNIT_MONTH", "TIME_UNIT_CALENDAR_WEEK", "TIME_UNIT_QUARTER_HOUR", "TIME_UNIT_MINUTE", "TIME_UNIT_SECOND", "TIME_UNIT_NONE"}
	f.Fuzz(func(t *testing.T, body []byte, unit byte) {
		s := newFakeServer(map[string]http.HandlerFunc{"xaimanagement": respond(string(body))})
		q := usageQuery()
		q.TimeUnit, q.Timezone = units[int(unit)%len(units)], "America/Havana"
		q.StartTime, q.EndTime = "2026-06-01", "2026-07-06" // a month and five weeks
		if q.TimeUnit == discovery.TimeUnitMonth {
			q.EndTime = "2026-07-01"
		}
		report, err := s.inProcess().ReconcileXAICost(t.Context(), q, nil)
		require.NoError(t, err)
		if !checkComplete(t, s, report) {
			return
		}
		assert.True(t, json.Valid(body))
		var all []json.RawMessage
		for _, b := range report.Buckets {
			amounts := pointsOf(t, b.RawBucket)
			all = append(all, amounts...)
			assert.Len(t, b.LineItems, len(amounts))
			total, ok := sumOf(amounts)
			assert.True(t, ok)
			assert.Equal(t, total, b.TotalUSD)
		}
		total, _ := sumOf(all)
		assert.Equal(t, total, report.ActualUSD)
		_, err = json.Marshal(report)
		require.NoError(t, err)
	})
}

// pointsOf lists the first value in each of a raw bucket's data points.
func pointsOf(t *testing.T, raw json.RawMessage) (amounts []json.RawMessage) {
	t.Helper()
	var all []map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &all))
	for _, one := range all {
		var points []map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(one["dataPoints"], &points))
		require.Len(t, points, 1)
		var values []json.RawMessage
		require.NoError(t, json.Unmarshal(points[0]["values"], &values))
		amounts = append(amounts, values[0])
	}
	return amounts
}

// FuzzCostReport feeds any bytes as a page of Anthropic costs: either nothing and one
// failure, or ordered buckets whose totals are the sum of their raw results, divided by
// 100.
func FuzzCostReport(f *testing.F) {
	documented, err := os.ReadFile("testdata/anthropic_costs.json")
	require.NoError(f, err)
	for _, seed := range []string{
		goodReport, string(documented), `{}`, `null`, `[]`, reportPage(true, `"p2"`), reportPage(false, "null", reportDay(2, cents("-1", "")), reportDay(1, cents("0E-6176", ""))),
		reportPage(false, "null", reportDay(1), reportDay(1)), reportPage(false, "null", reportDay(1, cents("1e29", ""), `{"amount":"1","amount":"2","currency":"usd"}`)),
		reportPage(false, "null", `{"starting_at":"2026-05-01T02:00:00+02:00","ending_at":"2026-05-02T00:00:00.5Z","results":[]}`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := newFakeServer(map[string]http.HandlerFunc{"anthropic": respond(string(body))})
		q := reportQuery()
		q.GroupBy = []discovery.GroupBy{"workspace_id", "description"}
		report, err := s.inProcess().ReconcileAnthropicCost(t.Context(), q, nil)
		require.NoError(t, err)
		if !checkComplete(t, s, report) {
			return
		}
		sum := new(big.Rat)
		for i, b := range report.Buckets {
			assert.Less(t, b.StartTime, b.EndTime)
			assert.True(t, i == 0 || report.Buckets[i-1].EndTime <= b.StartTime)
			for _, raw := range b.RawResults {
				var fields map[string]json.RawMessage
				var amount string
				require.NoError(t, json.Unmarshal(raw, &fields))
				require.NoError(t, json.Unmarshal(fields["amount"], &amount))
				value, ok := reference(amount)
				require.True(t, ok, amount)
				sum.Add(sum, value)
			}
		}
		assert.Equal(t, nearest(sum.Quo(sum, big.NewRat(100, 1))), report.ActualUSD)
		_, err = json.Marshal(report)
		require.NoError(t, err)
	})
}
