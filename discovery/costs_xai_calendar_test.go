package discovery_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// farZones have clocks that change at midnight, by half an hour, in the south, not at all, and by quarters of an hour.
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

// Each bucket begins where the previous one ends, for every day and month of two years, including clock changes. The expected
// beginnings are computed by stepping through local time in quarters of an hour.
func TestBucketsHaveNoGaps(t *testing.T) {
	t.Parallel()
	for unit, shown := range map[discovery.TimeUnit]string{discovery.TimeUnitDay: "2006-01-02", discovery.TimeUnitMonth: "2006-01"} {
		for _, name := range farZones {
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

// For all zones of the argument and of the query, the time that is sent denotes the same moment in the zone of the query. A
// local time that occurs twice is rejected.
func TestSentTimesDenoteTheSameMoment(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(20, 26))
	refused, end := 0, time.Date(2028, 6, 1, 0, 0, 0, 0, time.UTC)
	for i := range 3000 {
		name := farZones[random.IntN(len(farZones))]
		zone, written := zoneOf(t, name), zoneOf(t, farZones[random.IntN(len(farZones))])
		at := time.Date(2026, 1, 1, 0, 0, int(random.Int64N(2*365*86400)), 0, time.UTC)
		if i%3 == 0 { // an hour around a change of the clocks
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
	assert.Greater(t, refused, 50)
}

// shownAt returns how often the local time of that moment occurs in the zone, searched in quarters of an hour.
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
