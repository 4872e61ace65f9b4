package discovery_test

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func reconcileAnthropic(t *testing.T, s *fakeServer, attributed *float64) *discovery.ReconciliationReport[discovery.CostBucket] {
	t.Helper()
	report, err := s.inProcess().ReconcileAnthropicCost(t.Context(), reportQuery(), attributed)
	require.NoError(t, err)
	require.NotNil(t, report)
	return report
}

// week bills 0.10 and 0.20 dollars on the first two days in May, and nothing on the
// others.
func week() *fakeServer {
	days := []string{reportDay(1, cents("10", "")), reportDay(2, cents("20", ""))}
	for n := 3; n < 8; n++ {
		days = append(days, reportDay(n))
	}
	return reports(map[string]string{"": reportPage(false, "null", days...)})
}

func TestAnthropicReport(t *testing.T) {
	t.Parallel()
	r := reconcileAnthropic(t, week(), ptr(0.25))
	buckets := asJSON(t, r.Buckets)
	assert.Equal(t, `{"anthropic_actual_usd":0.3,"attributed_usd":0.25,"drift_usd":0.05,"drift_pct":20,"buckets":`+buckets+
		`,"window_start":1777593600,"window_end":1778198400,"complete":true,"settled":true}`, asJSON(t, r))
	assert.Contains(t, buckets, `"workspace_breakdown":{}`)
	assert.Equal(t, models.Anthropic, r.Provider)
	assert.Empty(t, r.MissingDays)

	var read discovery.ReconciliationReport[discovery.CostBucket]
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, r)), &read))
	assert.Equal(t, *r, read)
	for _, text := range []string{`{"anthropic_actual_usd":1,"openai_actual_usd":1,"complete":true}`, `{"anthropic_actual_usd":1,"xai_actual_usd":1,"complete":true}`, `{"anthropic_actual_usd":null,"complete":true}`} {
		require.Error(t, json.Unmarshal([]byte(text), &read), text)
	}

	var table strings.Builder
	require.NoError(t, r.Table(&table))
	assert.Contains(t, table.String(), "anthropic     USD")
}

func TestAnthropicReportWithoutAResponseIsNotComplete(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"anthropic": respondStatus(500, "")})
	for _, key := range []string{"", anthropicAdminKey} {
		q := reportQuery()
		q.AdminKey = discovery.NewSecret(key)
		r, err := s.inProcess().ReconcileAnthropicCost(t.Context(), q, ptr(5.0))
		require.NoError(t, err)
		assert.Equal(t, `{"anthropic_actual_usd":0,"attributed_usd":5,"drift_usd":null,"drift_pct":null,"buckets":[],`+
			`"window_start":1777593600,"window_end":1778198400,"complete":false,"settled":true}`, asJSON(t, r))
	}
	assert.Equal(t, []string{"anthropic missing_credential", "anthropic status"}, s.reasons())
	assert.Equal(t, "ReconcileAnthropicCost", s.failures[0].Operation)

	r, err := s.inProcess(discovery.WithStrictErrors()).ReconcileAnthropicCost(t.Context(), reportQuery(), nil)
	var f *discovery.Failure
	require.ErrorAs(t, err, &f)
	assert.False(t, r.Complete)
	_, err = s.inProcess().ReconcileAnthropicCost(t.Context(), reportQuery(), ptr(math.NaN()))
	requireValueError(t, err, "attributedUSD")
}

func TestAnthropicReportTakesWholeDaysOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(12 * time.Hour) // noon on 2000-01-01, UTC
		midnight := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		s := newFakeServer(map[string]http.HandlerFunc{"anthropic": respond(reportPage(false, "null"))})
		c := s.inProcess()
		for _, row := range []struct {
			start, end     time.Time
			field, written string
			settled        bool
		}{
			{midnight.AddDate(0, 0, -7).Add(time.Hour), midnight, "Start", "1999-12-25T01:00:00Z", false},
			{midnight.AddDate(0, 0, -7), midnight.Add(-time.Hour), "End", "1999-12-31T23:00:00Z", false},
			{midnight.AddDate(0, 0, -7), midnight.Add(-time.Hour - 1), "End", "1999-12-31T23:00:00Z", false},
			{midnight.AddDate(0, 0, -7).In(time.FixedZone("", 3600)), midnight, "", "", true},
			{midnight.AddDate(0, 0, -7), midnight, "", "", true},
			{midnight.AddDate(0, 0, -7), midnight.Add(5 * time.Hour), "", "", false},
			{midnight.AddDate(0, 0, -7), midnight.AddDate(1, 0, 0), "", "", false},
			{midnight.AddDate(0, 0, -7), time.Time{}, "", "", false},
		} {
			q := discovery.AnthropicCostQuery{Start: row.start, End: row.end, AdminKey: discovery.NewSecret(anthropicAdminKey)}
			r, err := c.ReconcileAnthropicCost(t.Context(), q, nil)
			assertField(t, err, row.field, row)
			if row.field != "" {
				assert.ErrorContains(t, err, row.written)
				continue
			}
			assert.True(t, r.Complete)
			assert.Equal(t, row.settled, r.Settled, row)
			assert.Equal(t, row.end.IsZero(), r.WindowEnd == nil)
			_, err = c.FetchAnthropicCostBuckets(t.Context(), q)
			require.NoError(t, err)
		}
		assert.Empty(t, s.failures)
	})
}

// A window without an end has no missing days, since the expected last day is unknown.
func TestAnthropicMissingDays(t *testing.T) {
	t.Parallel()
	s := reports(map[string]string{"": reportPage(false, "null", reportDay(1, cents("100", "")), reportDay(4), reportDay(5), reportDay(6))})
	r := reconcileAnthropic(t, s, nil)
	assert.Equal(t, []string{"2026-05-02", "2026-05-03", "2026-05-07"}, r.MissingDays)
	assert.True(t, r.Complete)
	q := reportQuery()
	q.End = time.Time{}
	open, err := s.inProcess().ReconcileAnthropicCost(t.Context(), q, nil)
	require.NoError(t, err)
	assert.Empty(t, open.MissingDays)
	assert.Nil(t, open.WindowEnd)
	assert.False(t, open.Settled)
}

func TestAnthropicBucketThatBeginsBeforeTheWindow(t *testing.T) {
	t.Parallel()
	s := reports(map[string]string{"": reportPage(false, "null", `{"starting_at":"2026-04-30T12:00:00Z","ending_at":"2026-05-01T12:00:00Z","results":[]}`)})
	r := reconcileAnthropic(t, s, ptr(1.0))
	assert.False(t, r.Complete)
	assert.Nil(t, r.DriftUSD)
	assert.Contains(t, requireOneFailure(t, s, discovery.ReasonDecode).Error(), "outside")
}

func TestAnthropicReportWithCalls(t *testing.T) {
	t.Parallel()
	l := newTotals()
	add(l, mayDay(1).Add(time.Hour), models.Anthropic, "claude-opus-4-8", "0.09")
	add(l, mayDay(2).Add(23*time.Hour), models.Anthropic, "claude-haiku-4-5", "0.2")
	add(l, mayDay(2), models.OpenAI, "gpt-5.4", "7")
	add(l, mayDay(8), models.Anthropic, "claude-opus-4-8", "7") // after the window
	r := reconcileAnthropic(t, week(), nil).WithCalls(l.Groups())
	assert.Equal(t, 0.29, *r.AttributedUSD)
	assert.Equal(t, 0.01, *r.DriftUSD)
	ok, known := r.Within(4)
	assert.True(t, ok && known)
	ok, known = r.Within(3)
	assert.True(t, !ok && known)
	var table strings.Builder
	require.NoError(t, r.Table(&table))
	assert.Equal(t, []string{"anthropic billed counted", "2026-05-01 0.10 0.09", "2026-05-02 0.20 0.20"}, fields(table.String())[:3])

	add(l, mayDay(3), models.Anthropic, "claude-opus-4-8", "")
	_, known = reconcileAnthropic(t, week(), nil).WithCalls(l.Groups()).Within(100)
	assert.False(t, known, "a call with an unknown cost, as in the priority tier")
}

// Line items get their tokens from the usage report. If it fails, the costs are still
// complete, and there's a failure.
func TestAnthropicQuantities(t *testing.T) {
	t.Parallel()
	query := reportQuery()
	query.GroupBy, query.Quantities, query.Limit = []discovery.GroupBy{discovery.GroupByDescription}, true, 3
	s := discoverytest.New(t)
	c, err := discovery.New(append(s.Options(), discovery.WithLogger(discardLogger))...)
	require.NoError(t, err)
	r, err := c.ReconcileAnthropicCost(t.Context(), query, nil)
	require.NoError(t, err)
	tokens := map[string]int64{}
	for _, item := range r.Bill().Items {
		if item.Tokens != nil {
			tokens[item.Kind] += *item.Tokens
		}
	}
	assert.Equal(t, map[string]int64{"input": 7 * 360_500, "output": 7 * 12_000}, tokens)

	s.Fail(discoverytest.ListAnthropicUsage, discoverytest.Fault{Status: 404, Times: -1})
	r, err = c.ReconcileAnthropicCost(t.Context(), query, nil)
	require.NoError(t, err)
	assert.True(t, r.Complete)
	assert.NotZero(t, r.ActualUSD)
	assert.Nil(t, r.Buckets[0].UsageResults)

	query.GroupBy = nil
	_, err = c.ReconcileAnthropicCost(t.Context(), query, nil)
	var wrong *discovery.ValueError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, "Quantities", wrong.Field)

	usage := reports(map[string]string{"": reportPage(false, "null", reportDay(1, `{"uncached_input_tokens":1}`))})
	buckets, err := usage.inProcess().FetchAnthropicCostBuckets(t.Context(), reportQuery())
	require.NoError(t, err)
	assert.Empty(t, buckets)
	requireOneFailure(t, usage, discovery.ReasonDecode)
}
