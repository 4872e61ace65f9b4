package discovery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// nearest is the float that math/big finds nearest to r.
func nearest(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// Drift and percentage are each rounded once, from the exact amounts: not from the rounded sum, and the percentage not from
// the rounded drift. Both providers come to the same figures for the same amounts.
func TestReportFiguresAreRoundedOnce(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 8))
	for range 500 {
		exact, results, points := new(big.Rat), []string(nil), []string(nil)
		for i := range 1 + random.IntN(8) {
			text := decimal(random.Int64N(3_000_000_000_000)-1_000_000_000, random.IntN(13))
			value, ok := new(big.Rat).SetString(text)
			require.True(t, ok)
			exact.Add(exact, value)
			results = append(results, result(text, ""))
			points = append(points, point(fmt.Sprintf("2026-05-0%dT00:00:00Z", i+1), text))
		}
		local := decimal(1+random.Int64N(1_000_000_000), random.IntN(10))
		attributed, err := strconv.ParseFloat(local, 64)
		require.NoError(t, err)
		counted, ok := new(big.Rat).SetString(local)
		require.True(t, ok)
		drift := new(big.Rat).Sub(exact, counted)
		percent := new(big.Rat).Quo(new(big.Rat).Mul(drift, big.NewRat(100, 1)), counted)

		open := reconcileOpenAI(t, costs(map[string]string{"": costPage(false, "null", costDay(0, results...))}), &attributed)
		team, err := usageOf(series("Chat", points...)).inProcess().ReconcileXAICost(t.Context(), usageQuery(), &attributed)
		require.NoError(t, err)
		for _, figures := range [][]*float64{{&open.ActualUSD, open.DriftUSD, open.DriftPct}, {&team.ActualUSD, team.DriftUSD, team.DriftPct}} {
			require.NotNil(t, figures[1])
			require.NotNil(t, figures[2])
			require.Equal(t, []float64{nearest(exact), nearest(drift), nearest(percent)}, []float64{*figures[0], *figures[1], *figures[2]}, "%s less %s", results, local)
		}
	}
}

// The pages before a failed one are not a bill, so the report has no figures.
func TestIncompleteReportHasNoFigures(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"":    costPage(true, `"two"`, costDay(0, result("5", ""))),
		"two": costPage(true, `"three"`, costDay(1, result("7", ""))),
	}
	for third, reason := range map[string]discovery.Reason{
		"": discovery.ReasonDecode, costPage(true, `"two"`): discovery.ReasonPartial, costPage(false, "null", costDay(0, result("1", ""))): discovery.ReasonDecode,
	} {
		pages["three"] = third
		s := costs(pages)
		r := reconcileOpenAI(t, s, ptr(12.0))
		f := requireOneFailure(t, s, reason)
		assert.Equal(t, "ReconcileOpenAICost", f.Operation)
		assert.Equal(t, 3, s.count("openai"))
		assert.Equal(t, `{"openai_actual_usd":0,"attributed_usd":12,"drift_usd":null,"drift_pct":null,"buckets":[],`+
			`"window_start":1730419200,"window_end":1731024000,"complete":false,"settled":true}`, asJSON(t, r))
	}
}

// No provider and no JSON has an amount that is not finite, but a report built by a program can. It is an amount that is not known.
func TestAmountsThatAreNotFiniteAreNotKnown(t *testing.T) {
	t.Parallel()
	type report = discovery.ReconciliationReport[discovery.CostBucket]
	sum := counted(map[int]prices.USD{1: "1", 2: "2"})
	for name, row := range map[string]struct {
		set func(r *report, usd float64)
		// bill reports whether the amount is a part of the bill, so that no call makes the drift known.
		bill bool
	}{
		"actual":     {func(r *report, usd float64) { r.ActualUSD = usd }, true},
		"bucket":     {func(r *report, usd float64) { r.Buckets[1].TotalUSD = usd }, true},
		"attributed": {func(r *report, usd float64) { r.AttributedUSD = &usd }, false},
		"drift":      {func(r *report, usd float64) { r.DriftUSD = &usd }, false},
		"percent":    {func(r *report, usd float64) { r.DriftPct = &usd }, false},
	} {
		for _, usd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			t.Run(fmt.Sprint(name, " ", usd), func(t *testing.T) {
				r := billedDays(1, 2)
				r.AttributedUSD, r.DriftUSD, r.DriftPct = ptr(3.0), ptr(0.0), ptr(0.0)
				row.set(r, usd)
				_, known := r.Within(5)
				assert.Equal(t, name == "percent", known)
				_, err := json.Marshal(r)
				require.Error(t, err)
				with := r.WithCalls(sum.Groups())
				_, known = with.Within(5)
				assert.Equal(t, !row.bill, known, "with calls")
				assert.Equal(t, !row.bill, with.DriftUSD != nil, "with calls")
				for _, shown := range []*report{r, with} {
					var table bytes.Buffer
					require.NoError(t, shown.Table(&table))
					assert.NotContains(t, table.String(), "NaN")
					assert.NotContains(t, table.String(), "Inf")
					assert.Equal(t, row.bill, bytes.Contains(table.Bytes(), []byte("the bill has an amount that is not finite")), table.String())
				}
			})
		}
	}
}

func TestReportJSON(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("2.5", "")))})
	q := costQuery()
	q.EndTime = 0
	r, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, nil)
	require.NoError(t, err)
	assert.Equal(t, `{"openai_actual_usd":2.5,"attributed_usd":null,"drift_usd":null,"drift_pct":null,"buckets":[`+asJSON(t, r.Buckets[0])+
		`],"window_start":1730419200,"window_end":null,"complete":true,"settled":false}`, asJSON(t, r))
	assert.Equal(t, asJSON(t, r), asJSON(t, *r))
	assert.Nil(t, r.WindowEnd)

	x, err := usageOf(series("Chat", point("2026-05-08T00:00:00Z", "1.5"))).inProcess().ReconcileXAICost(t.Context(), usageQuery(), ptr(1.0))
	require.NoError(t, err)
	assert.Equal(t, `{"xai_actual_usd":1.5,"attributed_usd":1,"drift_usd":0.5,"drift_pct":50,"buckets":[`+asJSON(t, x.Buckets[0])+
		`],"window_start":1777593600,"window_end":1778284800,"complete":true,"settled":true}`, asJSON(t, x))
	assert.Equal(t, models.XAI, x.Provider)

	assert.Contains(t, asJSON(t, discovery.ReconciliationReport[discovery.CostBucket]{Provider: "openai"}), `"buckets":[]`)
	_, err = json.Marshal(discovery.ReconciliationReport[discovery.CostBucket]{Provider: "deepseek"})
	require.ErrorContains(t, err, "deepseek")
}

func TestReportRoundTripsThroughJSON(t *testing.T) {
	t.Parallel()
	r := reconcileOpenAI(t, twoDays(), ptr(0.25))
	var read discovery.ReconciliationReport[discovery.CostBucket]
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, r)), &read))
	assert.Equal(t, asJSON(t, r), asJSON(t, read))
	assert.Equal(t, *r, read)

	failed := reconcileOpenAI(t, newFakeServer(map[string]http.HandlerFunc{"openai": respondStatus(500, "")}), nil)
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, failed)), &read))
	assert.False(t, read.Complete)
	assert.Equal(t, models.OpenAI, read.Provider)

	x, err := usageOf(series("Chat", point("2026-05-08T00:00:00Z", "1.5"))).inProcess().ReconcileXAICost(t.Context(), usageQuery(), ptr(1.0))
	require.NoError(t, err)
	var team discovery.ReconciliationReport[discovery.TeamCostBucket]
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, x)), &team))
	assert.Equal(t, *x, team)

	for _, text := range []string{`{}`, `null`, `{"complete":true}`, `{"openai_actual_usd":1}`, `{"openai_actual_usd":1,"xai_actual_usd":1,"complete":true}`, `[]`} {
		before := read
		require.Error(t, json.Unmarshal([]byte(text), &read), text)
		assert.Equal(t, before, read)
	}
}

// twoDays bills 0.1 and 0.2.
func twoDays() *fakeServer {
	return costs(map[string]string{"": costPage(false, "null", costDay(0, result("0.1", "")), costDay(1, result("0.2", "")))})
}

func reconcileOpenAI(t *testing.T, s *fakeServer, attributed *float64) *discovery.ReconciliationReport[discovery.CostBucket] {
	t.Helper()
	report, err := s.inProcess().ReconcileOpenAICost(t.Context(), costQuery(), attributed)
	require.NoError(t, err)
	require.NotNil(t, report)
	return report
}

func TestDriftIsComputedInDecimal(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ attributed, drift, percent *float64 }{
		{nil, nil, nil},
		{ptr(0.3), ptr(0.0), ptr(0.0)},
		{ptr(0.25), ptr(0.05), ptr(20.0)},
		{ptr(0.4), ptr(-0.1), ptr(-25.0)},
		{ptr(0.0), ptr(0.3), nil},
		{ptr(math.Copysign(0, -1)), ptr(0.3), nil},
		{ptr(3e-7), ptr(0.2999997), ptr(99999900.0)},
		{ptr(1e300), ptr(-1e300), ptr(-100.0)},
		{ptr(5e-324), ptr(0.3), nil}, // more percent than a float holds
	} {
		r := reconcileOpenAI(t, twoDays(), row.attributed)
		assert.Equal(t, 0.3, r.ActualUSD)
		assert.Equal(t, row.attributed, r.AttributedUSD)
		assert.Equal(t, row.drift, r.DriftUSD)
		assert.Equal(t, row.percent, r.DriftPct)
		assert.True(t, r.Complete)
		assert.Len(t, r.Buckets, 2)
	}
}

func TestReportKeepsNoReferenceToTheArgument(t *testing.T) {
	t.Parallel()
	attributed := 0.25
	r := reconcileOpenAI(t, twoDays(), &attributed)
	attributed = 7
	assert.Equal(t, 0.25, *r.AttributedUSD)
}

func TestInvalidAttributedCosts(t *testing.T) {
	t.Parallel()
	for _, attributed := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		s := newFakeServer(nil)
		report, err := s.inProcess().ReconcileOpenAICost(t.Context(), costQuery(), &attributed)
		requireValueError(t, err, "attributedUSD")
		assert.Nil(t, report)
		team, err := s.inProcess().ReconcileXAICost(t.Context(), usageQuery(), &attributed)
		requireValueError(t, err, "attributedUSD")
		assert.Nil(t, team)
		assert.Empty(t, s.requests)
	}
}

// A failed call must not read as "billed nothing".
func TestReportWithoutAResponseIsNotComplete(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"openai": respondStatus(500, ""), "xaimanagement": respondStatus(500, "")})
	for _, key := range []string{"", adminKey} {
		q, team := costQuery(), usageQuery()
		q.AdminKey, team.ManagementKey = discovery.NewSecret(key), discovery.NewSecret(key)
		r, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, ptr(5.0))
		require.NoError(t, err)
		assert.Equal(t, `{"openai_actual_usd":0,"attributed_usd":5,"drift_usd":null,"drift_pct":null,"buckets":[],`+
			`"window_start":1730419200,"window_end":1731024000,"complete":false,"settled":true}`, asJSON(t, r))
		x, err := s.inProcess().ReconcileXAICost(t.Context(), team, ptr(0.0))
		require.NoError(t, err)
		assert.Equal(t, `{"xai_actual_usd":0,"attributed_usd":0,"drift_usd":null,"drift_pct":null,"buckets":[],`+
			`"window_start":1777593600,"window_end":1778284800,"complete":false,"settled":true}`, asJSON(t, x))
	}
	assert.Equal(t, []string{"openai missing_credential", "xai missing_credential", "openai status", "xai status"}, s.reasons())
	assert.Equal(t, "ReconcileOpenAICost", s.failures[0].Operation)
	assert.Equal(t, "ReconcileXAICost", s.failures[1].Operation)

	strict := s.inProcess(discovery.WithStrictErrors())
	r, err := strict.ReconcileOpenAICost(t.Context(), costQuery(), nil)
	var f *discovery.Failure
	require.ErrorAs(t, err, &f)
	assert.False(t, r.Complete)
	x, err := strict.ReconcileXAICost(t.Context(), usageQuery(), nil)
	require.ErrorAs(t, err, &f)
	assert.False(t, x.Complete)
}

// Providers settle late: a window that reaches into today is marked.
func TestWindowThatIncludesTodayIsNotSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(12 * time.Hour) // noon of 2000-01-01, UTC
		midnight := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		s := newFakeServer(map[string]http.HandlerFunc{"openai": respond(costPage(false, "null")), "xaimanagement": respond("{}")})
		for end, want := range map[int64]bool{midnight - day: true, midnight: true, midnight + 1: false, midnight + 100*day: false, 0: false} {
			q := costQuery()
			q.StartTime, q.EndTime = midnight-7*day, end
			r, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, nil)
			require.NoError(t, err)
			assert.Equal(t, want, r.Settled, end)
			assert.True(t, r.Complete)
			if end > midnight {
				assert.Len(t, r.MissingDays, 7, "today is not over")
			}
		}
		for _, row := range []struct {
			end, zone string
			want      bool
		}{
			{"2000-01-01 00:00:00", "", true},
			{"2000-01-01 00:00:01", "", false},
			{"2000-01-01 00:00:00", "Asia/Tokyo", true},
			{"2000-01-01T00:00:00Z", "Asia/Tokyo", false},       // nine o'clock there
			{"2000-01-02 00:00:00", "Pacific/Kiritimati", true}, // there it is the 2nd already
		} {
			q := usageQuery()
			q.StartTime, q.EndTime, q.Timezone = "1999-12-01 00:00:00", row.end, row.zone
			r, err := s.inProcess().ReconcileXAICost(t.Context(), q, nil)
			require.NoError(t, err)
			assert.Equal(t, row.want, r.Settled, "%v", row)
		}
	})
}

// Half a counted day against a whole billed one would give a wrong drift.
func TestReconciliationsTakeWholeBucketsOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(12 * time.Hour) // noon of Saturday, 2000-01-01, UTC
		midnight := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		s := newFakeServer(map[string]http.HandlerFunc{"openai": respond(costPage(false, "null")), "xaimanagement": respond("{}")})
		for _, row := range []struct {
			start, end int64
			field      string
		}{
			{midnight - 7*day + day/2, midnight, "StartTime"}, {midnight - 7*day + 1, 0, "StartTime"}, {midnight - 7*day, midnight - day/2, "EndTime"},
			{midnight - 7*day, midnight - 1, "EndTime"}, {midnight - 7*day, midnight, ""}, {midnight - 7*day, midnight + 1, ""}, {midnight, midnight + 5*day + 7, ""}, {midnight - day, 0, ""},
		} {
			q := costQuery()
			q.StartTime, q.EndTime = row.start, row.end
			_, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, nil)
			assertField(t, err, row.field, row)
			_, err = s.inProcess().FetchOpenAICostBuckets(t.Context(), q)
			require.NoError(t, err, "the buckets of any window can be fetched")
		}
		for _, row := range []struct {
			unit             discovery.TimeUnit
			zone, start, end string
			field            string
		}{
			{"", "", "1999-12-01", "1999-12-31", ""},
			{"", "", "1999-12-01T12:00", "1999-12-31", "StartTime"},
			{"", "", "1999-12-01", "1999-12-31T12:00", "EndTime"},
			{"", "", "1999-12-01", "2000-01-01T00:00:01", ""}, // within the current day
			{"", "", "1999-12-01", "2031-01-01T07:00", ""},
			{"", "Europe/Berlin", "1999-12-01", "1999-12-31", ""},
			{"", "Europe/Berlin", "1999-12-01T00:00:00Z", "1999-12-31", "StartTime"}, // one o'clock there
			{discovery.TimeUnitMonth, "", "1999-11-01", "1999-12-01", ""},
			{discovery.TimeUnitMonth, "", "1999-11-02", "1999-12-01", "StartTime"},
			{discovery.TimeUnitMonth, "", "1999-11-01", "1999-12-15", "EndTime"},
			{discovery.TimeUnitMonth, "", "1999-11-01", "2000-01-15", ""},
			{discovery.TimeUnitCalendarWeek, "", "1999-12-06", "1999-12-20", ""}, // Mondays
			{discovery.TimeUnitCalendarWeek, "", "1999-12-05", "1999-12-20", "StartTime"},
			{discovery.TimeUnitCalendarWeek, "", "1999-12-06", "1999-12-21", "EndTime"},
			{discovery.TimeUnitHour, "", "1999-12-06T05:00", "1999-12-06T07:00", ""},
			{discovery.TimeUnitHour, "", "1999-12-06T05:30", "1999-12-06T07:00", "StartTime"},
			{discovery.TimeUnitQuarterHour, "", "1999-12-06T05:30", "1999-12-06T07:10", "EndTime"},
			{discovery.TimeUnitMinute, "", "1999-12-06T05:30", "1999-12-06T07:10", ""},
			{discovery.TimeUnitNone, "", "1999-12-06T05:30:07", "1999-12-06T07:10:09", ""},
		} {
			q := usageQuery()
			q.TimeUnit, q.Timezone, q.StartTime, q.EndTime = row.unit, row.zone, row.start, row.end
			_, err := s.inProcess().ReconcileXAICost(t.Context(), q, nil)
			assertField(t, err, row.field, row)
			_, err = s.inProcess().FetchXAICostBuckets(t.Context(), q)
			require.NoError(t, err, "%v", row)
		}
		assert.Empty(t, s.failures)
	})
}

func assertField(t *testing.T, err error, field string, row any) {
	t.Helper()
	if field == "" {
		require.NoError(t, err, "%v", row)
		return
	}
	var invalid *discovery.ValueError
	require.ErrorAs(t, err, &invalid, "%v", row)
	assert.Equal(t, field, invalid.Field, "%v", row)
}

// A bucket that begins before the window contains costs from outside it, although whole buckets were requested.
func TestBucketsThatBeginBeforeTheWindowAreNotReconciled(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{"": fmt.Sprintf(`{"data":[{"start_time":%d,"end_time":%d,"results":[]}],"has_more":false}`, day1-day/2, day1+day/2)})
	r := reconcileOpenAI(t, s, ptr(1.0))
	assert.False(t, r.Complete)
	assert.Nil(t, r.DriftUSD)
	assert.Contains(t, requireOneFailure(t, s, discovery.ReasonDecode).Error(), "outside")

	for _, start := range []int64{-1e12, math.MinInt64} { // its days must not be counted one by one
		s := costs(map[string]string{"": fmt.Sprintf(`{"data":[{"start_time":%d,"end_time":%d,"results":[]}],"has_more":false}`, start, day1+day)})
		r := reconcileOpenAI(t, s, ptr(1.0))
		assert.False(t, r.Complete)
		assert.Contains(t, requireOneFailure(t, s, discovery.ReasonDecode).Error(), "outside")
	}

	x := usageOf(series("Chat", point("2026-05-03T00:00:00Z", "1"))) // a Sunday
	q := usageQuery()
	q.TimeUnit, q.StartTime, q.EndTime = discovery.TimeUnitCalendarWeek, "2026-05-04", "2026-05-11"
	report, err := x.inProcess().ReconcileXAICost(t.Context(), q, nil)
	require.NoError(t, err)
	assert.False(t, report.Complete)
	requireOneFailure(t, x, discovery.ReasonDecode)
}

// So does one that ends after the window. An end in milliseconds is one, and must not be counted day by day.
func TestBucketsThatEndAfterTheWindowAreNotReconciled(t *testing.T) {
	t.Parallel()
	for _, end := range []int64{day1 + 8*day, day1 + 7*day + 1, (day1 + day) * 1000, math.MaxInt64} {
		s := costs(map[string]string{"": fmt.Sprintf(`{"data":[{"start_time":%d,"end_time":%d,"results":[]}],"has_more":false}`, day1, end)})
		r := reconcileOpenAI(t, s, ptr(1.0))
		assert.False(t, r.Complete)
		assert.Nil(t, r.DriftUSD)
		assert.Empty(t, r.Buckets)
		assert.Contains(t, requireOneFailure(t, s, discovery.ReasonDecode).Error(), "outside")
	}
	today := time.Now().Unix() / day * day
	s := costs(map[string]string{"": fmt.Sprintf(`{"data":[{"start_time":%d,"end_time":%d,"results":[]}],"has_more":false}`, today, today+day)})
	r, err := s.inProcess().ReconcileOpenAICost(t.Context(), discovery.OpenAICostQuery{StartTime: today, EndTime: today + 1, AdminKey: discovery.NewSecret(adminKey)}, nil)
	require.NoError(t, err)
	assert.True(t, r.Complete, "the current day ends after the window")
	open := costs(map[string]string{"": fmt.Sprintf(`{"data":[{"start_time":%d,"end_time":%d,"results":[]}],"has_more":false}`, day1, int64(math.MaxInt64))})
	r, err = open.inProcess().ReconcileOpenAICost(t.Context(), openQuery(), nil)
	require.NoError(t, err)
	assert.True(t, r.Complete, "an open window has no end")
}

func TestDaysMissingInTheResponseAreListed(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("1", "")), costDay(3, result("2", "")), costDay(4), costDay(5), costDay(6))})
	r := reconcileOpenAI(t, s, nil)
	assert.Equal(t, []string{"2024-11-02", "2024-11-03"}, r.MissingDays)
	assert.True(t, r.Complete)
	assert.Contains(t, asJSON(t, r), `"missing_days":["2024-11-02","2024-11-03"]`)
	var table strings.Builder
	require.NoError(t, r.Table(&table))
	assert.Contains(t, table.String(), "missing in the bill: 2024-11-02, 2024-11-03")
	failed := reconcileOpenAI(t, newFakeServer(map[string]http.HandlerFunc{"openai": respondStatus(500, "")}), nil)
	assert.Empty(t, failed.MissingDays, "nothing is known of the days")
}

// A credit that was counted is a negative amount; a percentage of it has no meaning.
func TestAttributedCredits(t *testing.T) {
	t.Parallel()
	r := reconcileOpenAI(t, twoDays(), ptr(-0.5))
	assert.InDelta(t, r.ActualUSD+0.5, *r.DriftUSD, 1e-12)
	assert.Nil(t, r.DriftPct)
	assert.Equal(t, -0.5, *r.AttributedUSD)
}
