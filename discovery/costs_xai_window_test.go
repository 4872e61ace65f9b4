package discovery_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// sent returns the timeRange and timeUnit of the request for q.
func sent(t *testing.T, q discovery.XAICostQuery) (start, end, zone, unit string) {
	t.Helper()
	var request struct {
		AnalyticsRequest struct {
			TimeRange struct{ StartTime, EndTime, Timezone string }
			TimeUnit  string
		}
	}
	s := newFakeServer(map[string]http.HandlerFunc{"xaimanagement": func(w http.ResponseWriter, r *http.Request) {
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&request))
		_, _ = w.Write([]byte("{}"))
	}})
	_, err := s.inProcess().FetchXAICostBuckets(t.Context(), q)
	require.NoError(t, err, "%v", q)
	a := request.AnalyticsRequest
	return a.TimeRange.StartTime, a.TimeRange.EndTime, a.TimeRange.Timezone, a.TimeUnit
}

func TestTimesAreConvertedIntoTheZone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ zone, start, end, wantStart, wantEnd string }{
		{"", "2026-05-01T00:00:00Z", "2026-05-09T00:00:00Z", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"", "2026-05-01 00:00:00", "2026-05-09T00:00:00", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"", "2026-05-01T02:00:00+02:00", "2026-05-08T19:00:00-0500", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"", "2026-05-01T05:30:00+05:30", "2026-05-09T02:00:00+02", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"", "2026-05-01 02:00:00+02:00", "2026-05-09T00:00Z", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"", "2026-05-01T00:00:00.000Z", "2026-05-09T00:00:00.000000+00:00", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"", "2026-05-01T00:00:00.75Z", "2026-05-08 23:59:59.999999", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"", "2026-05-01", "2026-05-09T00:00", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"", "20260501T000000Z", "20260509T020000+0200", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"", "2026-05-01T00Z", "2026-05-09t00:00:00z", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"Europe/Berlin", "2026-05-01", "20260509T000000", "2026-05-01 00:00:00", "2026-05-09 00:00:00"},
		{"Etc/UTC", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", "2026-12-31 23:59:59", "2027-01-01 00:00:00"},
		{"Europe/Berlin", "2026-05-01T00:00:00Z", "2026-05-09 00:00:00", "2026-05-01 02:00:00", "2026-05-09 00:00:00"},
		{"Europe/Berlin", "2026-01-01T00:00:00Z", "2026-07-01T00:00:00Z", "2026-01-01 01:00:00", "2026-07-01 02:00:00"},
		{"America/Los_Angeles", "2026-05-01T00:00:00Z", "2026-05-09T00:00:00+02:00", "2026-04-30 17:00:00", "2026-05-08 15:00:00"},
		{"Asia/Kolkata", "2026-05-01T00:00:00Z", "2026-05-01T05:30:01", "2026-05-01 05:30:00", "2026-05-01 05:30:01"},
		// An hour before the clocks go back, and one after; the repeated hour is between them.
		{"Europe/Berlin", "2026-10-24T23:59:59Z", "2026-10-25T02:00:00Z", "2026-10-25 01:59:59", "2026-10-25 03:00:00"},
	} {
		q := usageQuery()
		q.StartTime, q.EndTime, q.Timezone = row.start, row.end, row.zone
		start, end, zone, unit := sent(t, q)
		assert.Equal(t, []string{row.wantStart, row.wantEnd, "TIME_UNIT_DAY"}, []string{start, end, unit}, "%v", row)
		if row.zone == "" {
			row.zone = "Etc/GMT"
		}
		assert.Equal(t, row.zone, zone)
	}
}

// A bucket ends at the end of its unit in the zone, including months of different lengths and clock changes.
func TestBucketsEndWithTheirUnit(t *testing.T) {
	t.Parallel()
	const berlin, havana = "Europe/Berlin", "America/Havana"
	for _, row := range []struct {
		unit                         discovery.TimeUnit
		zone, at, wantBegin, wantEnd string
	}{
		{"", "", "2026-05-08T00:00:00Z", "2026-05-08T00:00:00Z", "2026-05-09T00:00:00Z"},
		{discovery.TimeUnitDay, "", "2024-02-28T00:00:00Z", "2024-02-28T00:00:00Z", "2024-02-29T00:00:00Z"},
		{discovery.TimeUnitDay, "", "2026-12-31 00:00:00", "2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z"},
		{discovery.TimeUnitDay, "", "2026-05-08T13:30:00Z", "2026-05-08T13:30:00Z", "2026-05-09T00:00:00Z"},               // the window began then
		{discovery.TimeUnitDay, berlin, "2026-03-28T23:00:00Z", "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"}, // 23 hours
		{discovery.TimeUnitDay, berlin, "2026-10-24T22:00:00Z", "2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00"}, // 25 hours
		{discovery.TimeUnitDay, havana, "2026-03-07T05:00:00Z", "2026-03-07T00:00:00-05:00", "2026-03-08T01:00:00-04:00"}, // no midnight
		{discovery.TimeUnitDay, havana, "2026-10-31T04:00:00Z", "2026-10-31T00:00:00-04:00", "2026-11-01T00:00:00-04:00"}, // two midnights
		{discovery.TimeUnitCalendarWeek, berlin, "2026-03-22T23:00:00Z", "2026-03-23T00:00:00+01:00", "2026-03-30T00:00:00+02:00"},
		{discovery.TimeUnitCalendarWeek, "", "2026-12-28T00:00:00Z", "2026-12-28T00:00:00Z", "2027-01-04T00:00:00Z"},
		{discovery.TimeUnitMonth, "", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
		{discovery.TimeUnitMonth, "", "2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"},
		{discovery.TimeUnitMonth, "", "2024-02-01T00:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		{discovery.TimeUnitMonth, "", "2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		{discovery.TimeUnitMonth, "", "2026-01-31T00:00:00Z", "2026-01-31T00:00:00Z", "2026-02-01T00:00:00Z"},
		{discovery.TimeUnitMonth, berlin, "2026-02-28T23:00:00Z", "2026-03-01T00:00:00+01:00", "2026-04-01T00:00:00+02:00"},
		{discovery.TimeUnitHour, "", "2026-05-08T23:00:00Z", "2026-05-08T23:00:00Z", "2026-05-09T00:00:00Z"},
		{discovery.TimeUnitHour, "", "2026-05-08T23:20:05Z", "2026-05-08T23:20:05Z", "2026-05-09T00:00:00Z"},
		{discovery.TimeUnitHour, berlin, "2026-03-29T00:00:00Z", "2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00"},
		{discovery.TimeUnitHour, berlin, "2026-10-25T00:00:00Z", "2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"},
		{discovery.TimeUnitHour, "Asia/Kolkata", "2026-05-08T00:30:00Z", "2026-05-08T06:00:00+05:30", "2026-05-08T07:00:00+05:30"},
		{discovery.TimeUnitQuarterHour, "", "2026-05-08T23:45:00Z", "2026-05-08T23:45:00Z", "2026-05-09T00:00:00Z"},
		{discovery.TimeUnitQuarterHour, "", "2026-05-08T23:07:00Z", "2026-05-08T23:07:00Z", "2026-05-08T23:15:00Z"},
		{discovery.TimeUnitMinute, "", "2026-05-08T23:59:00Z", "2026-05-08T23:59:00Z", "2026-05-09T00:00:00Z"},
		{discovery.TimeUnitSecond, "", "2026-05-08T23:59:59Z", "2026-05-08T23:59:59Z", "2026-05-09T00:00:00Z"},
		{discovery.TimeUnitNone, "", "2026-05-01T00:00:00Z", "2026-05-01T00:00:00Z", "2026-05-09T00:00:00Z"},
		{discovery.TimeUnitNone, berlin, "", "2026-05-01T02:00:00+02:00", "2026-05-09T00:00:00+02:00"},
	} {
		data := point(row.at, "1")
		if row.at == "" {
			data = `{"values":[1]}`
		}
		s := usageOf(series("Chat", data))
		buckets := fetchUsage(t, s, func(q *discovery.XAICostQuery) {
			q.TimeUnit, q.Timezone = row.unit, row.zone
			if row.unit != discovery.TimeUnitNone {
				q.StartTime, q.EndTime = "2024-01-01", "2028-01-01"
			}
		})
		require.Len(t, buckets, 1, "%v: %v", row, s.failures)
		assert.Equal(t, []string{row.wantBegin, row.wantEnd}, []string{buckets[0].StartTime, buckets[0].EndTime}, "%v", row)
	}
}

func TestEveryTimeUnitIsSent(t *testing.T) {
	t.Parallel()
	for _, unit := range []discovery.TimeUnit{
		"TIME_UNIT_DAY", "TIME_UNIT_HOUR", "TIME_UNIT_MONTH", "TIME_UNIT_CALENDAR_WEEK", "TIME_UNIT_QUARTER_HOUR", "TIME_UNIT_MINUTE",
		"TIME_UNIT_SECOND", "TIME_UNIT_NONE",
	} {
		q := usageQuery()
		q.TimeUnit = unit
		_, _, _, got := sent(t, q)
		assert.Equal(t, string(unit), got)
	}
}
