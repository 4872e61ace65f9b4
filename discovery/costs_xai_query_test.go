package discovery_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// sent returns timeRange and timeUnit from the request for q.
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
		// From an hour before the clocks go back to an hour after; the repeated hour is
		// in between.
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

// A bucket ends with its unit in the zone, even across months with different lengths and
// clock changes.
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
		{discovery.TimeUnitDay, "", "2026-05-08T13:30:00Z", "2026-05-08T13:30:00Z", "2026-05-09T00:00:00Z"},               // the window starts then
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

// farZones have clocks that change at midnight, by half an hour, in the south, not at
// all, and zones offset by quarter hours.
var farZones = []string{
	"Etc/GMT", "Europe/Berlin", "America/New_York", "America/Havana", "America/St_Johns", "Australia/Lord_Howe", "America/Santiago",
	"Africa/Cairo", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Chatham", "Pacific/Kiritimati",
}

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	require.NoError(t, err)
	return zone
}

// Each bucket starts where the previous one ends, for every day and month in two years,
// including clock changes. The expected starts are found by stepping through local time
// in quarter hours.
func TestBucketsHaveNoGaps(t *testing.T) {
	t.Parallel()
	for unit, shown := range map[discovery.TimeUnit]string{discovery.TimeUnitDay: "2006-01-02", discovery.TimeUnitMonth: "2006-01"} {
		for _, name := range farZones[:whole.Cases(len(farZones), 2)] {
			zone := zoneOf(t, name)
			var begins, points []string
			last := ""
			for at := time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC); at.Year() < 2028; at = at.Add(15 * time.Minute) {
				if wall := at.In(zone).Format(shown); wall != last {
					last = wall
					begins = append(begins, at.In(zone).Format(time.RFC3339))
					points = append(points, point(at.Format(time.RFC3339), "1"))
				}
			}
			begins, points = begins[1:], points[1:] // the first began earlier
			buckets := fetchUsage(t, usageOf(series("Chat", points...)), func(q *discovery.XAICostQuery) {
				q.TimeUnit, q.Timezone, q.StartTime, q.EndTime = unit, name, "2025-12-30", "2028-02-01"
			})
			require.Len(t, buckets, len(begins), name)
			for i, b := range buckets {
				require.Equal(t, begins[i], b.StartTime, name)
				if i+1 < len(buckets) {
					require.Equal(t, begins[i+1], b.EndTime, "%s of %s", unit, name)
				}
			}
		}
	}
}

// For any zones in the argument and the query, the time sent is the same moment in the
// query's zone. A local time that occurs twice is rejected.
func TestSentTimesDenoteTheSameMoment(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(20, 26))
	refused, end := 0, time.Date(2028, 6, 1, 0, 0, 0, 0, time.UTC)
	for i := range whole.Cases(3000, 300) {
		name := farZones[random.IntN(len(farZones))]
		zone, written := zoneOf(t, name), zoneOf(t, farZones[random.IntN(len(farZones))])
		at := time.Date(2026, 1, 1, 0, 0, int(random.Int64N(2*365*86400)), 0, time.UTC)
		if i%3 == 0 { // close to a clock change
			if _, change := at.In(zone).ZoneBounds(); !change.IsZero() && change.Before(end) {
				at = change.Add(time.Duration(random.IntN(3*3600)-3*1800) * time.Second)
			}
		}
		q := usageQuery()
		q.StartTime, q.EndTime, q.Timezone = at.In(written).Format(time.RFC3339), end.Format(time.RFC3339), name
		if shownAt(at, zone) != 1 {
			refused++
			_, err := usageOf().inProcess().FetchXAICostBuckets(t.Context(), q)
			requireValueError(t, err, "StartTime")
			continue
		}
		start, _, sentZone, _ := sent(t, q)
		assert.Equal(t, name, sentZone)
		require.True(t, at.Equal(parseLocalTime(t, start, zone)), "%s in %s was sent as %s", q.StartTime, name, start)
	}
	assert.Greater(t, refused, whole.Cases(50, 5))
}

// shownAt returns how often the moment's local time occurs in the zone, searching in
// quarter hours.
func shownAt(at time.Time, zone *time.Location) int {
	n, wall := 0, at.In(zone).Format(time.DateTime)
	for away := -3 * time.Hour; away <= 3*time.Hour; away += 15 * time.Minute {
		if at.Add(away).In(zone).Format(time.DateTime) == wall {
			n++
		}
	}
	return n
}

// parseLocalTime returns the moment of a local time, without time.Date.
func parseLocalTime(t *testing.T, text string, zone *time.Location) time.Time {
	t.Helper()
	utc, err := time.Parse(time.DateTime, text)
	require.NoError(t, err, text)
	for away := -15 * time.Hour; away <= 15*time.Hour; away += 15 * time.Minute {
		if at := utc.Add(away); at.In(zone).Format(time.DateTime) == text {
			return at
		}
	}
	t.Fatal("the clocks never show", text)
	return utc
}
