package discovery_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Providers settle late: a window that reaches into today is marked.
func TestWindowThatIncludesTodayIsNotSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(12 * time.Hour) // noon on 2000-01-01, UTC
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
			{"2000-01-02 00:00:00", "Pacific/Kiritimati", true}, // it's already the 2nd there
		} {
			q := usageQuery()
			q.StartTime, q.EndTime, q.Timezone = "1999-12-01 00:00:00", row.end, row.zone
			r, err := s.inProcess().ReconcileXAICost(t.Context(), q, nil)
			require.NoError(t, err)
			assert.Equal(t, row.want, r.Settled, "%v", row)
		}
	})
}

// A requested bill has whole days, except for today.
func TestTodayIsBilledInPart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(12 * time.Hour) // noon on 2000-01-01, UTC
		midnight := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		for last, want := range map[int64]string{midnight - day: "", midnight: "2000-01-01"} {
			bucket := fmt.Sprintf(`{"object":"bucket","start_time":%d,"end_time":%d,"results":[]}`, last, last+day)
			s := newFakeServer(map[string]http.HandlerFunc{"openai": respond(costPage(false, "null", bucket))})
			q := costQuery()
			q.StartTime, q.EndTime = midnight-day, midnight+day
			r, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, nil)
			require.NoError(t, err)
			assert.Equal(t, []string{want, want}, []string{r.PartialDay, r.Bill().PartialDay})
		}
	})
}

// Half a counted day against a whole billed one would give a wrong drift.
func TestReconciliationsTakeWholeBucketsOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(12 * time.Hour) // noon on Saturday, 2000-01-01, UTC
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
			require.NoError(t, err, "any window's buckets can be fetched")
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

// A bucket that starts before the window contains costs from outside it, although whole
// buckets were requested.
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

// The same holds for a bucket that ends after the window. That includes an end in
// milliseconds, which must not be counted day by day.
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
	assert.Empty(t, failed.MissingDays, "the days are unknown")
}
