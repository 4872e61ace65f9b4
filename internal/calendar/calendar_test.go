package calendar_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// Zones with offsets in full and fractional hours, where clocks change by an hour or half
// an hour, at night or at midnight.
var zones = []string{"UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu"}

// Buckets neither overlap nor leave gaps: each time between two starts has the same next
// start.
func TestBucketsDivideTime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	begin, years := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), int64(10*365*24*time.Hour)
	for _, name := range zones {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		for unit := calendar.Second; unit <= calendar.Month; unit++ {
			r := calendar.Range{Unit: unit}
			for range 2000 {
				at := begin.Add(time.Duration(random.Int64N(years))).In(zone)
				next := r.Next(at)
				require.True(t, next.After(at), "%v %v", unit, at)
				require.True(t, r.Starts(next), "%v %v", unit, next)
				between := at.Add(time.Duration(random.Int64N(int64(next.Sub(at)))))
				require.True(t, next.Equal(r.Next(between)), "%v %v %v", unit, at, between)
				require.True(t, next.Equal(r.Next(next.Add(-1))), "%v %v", unit, at)
				require.True(t, r.EndOf(next).Equal(r.Next(next)), "%v %v", unit, next)
				require.True(t, unit != calendar.Week || next.Weekday() == time.Monday, next)
				require.True(t, unit != calendar.Month || next.Day() == 1, next)
			}
		}
	}
}

func TestDaysHaveTheLengthOfTheirZone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		zone, day string
		hours     float64
		first     string // the first time that clocks show
	}{
		{"UTC", "2026-03-29", 24, "00:00"},
		{"Europe/Berlin", "2026-03-29", 23, "00:00"},
		{"Europe/Berlin", "2026-10-25", 25, "00:00"},
		{"Australia/Lord_Howe", "2026-04-05", 24.5, "00:00"},
		{"America/Santiago", "2026-09-06", 23, "01:00"},
	} {
		zone, err := time.LoadLocation(row.zone)
		require.NoError(t, err)
		noon, ok := calendar.Parse(row.day+" 12:00", zone)
		require.True(t, ok)
		year, month, day := noon.Date()
		start := calendar.StartOfDay(year, month, day, zone)
		assert.Equal(t, row.first, start.Format("15:04"), row)
		assert.InDelta(t, row.hours, calendar.Range{Unit: calendar.Day}.Next(start).Sub(start).Hours(), 0, row)
	}
}

func TestTimesThatClocksSkipOrRepeat(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for text, want := range map[string]struct{ exists, ambiguous bool }{
		"2026-03-29T01:59:59":       {true, false},
		"2026-03-29T02:00:00":       {false, false},
		"2026-03-29T03:00:00":       {true, false},
		"2026-10-25T01:59:59":       {true, false},
		"2026-10-25T02:00:00":       {true, true},
		"2026-10-25T02:59:59+02:00": {true, true},
		"2026-10-25T02:59:59+01:00": {true, true},
		"2026-10-25T03:00:00":       {true, false},
	} {
		at, exists := calendar.Parse(text, berlin)
		assert.Equal(t, want.exists, exists, text)
		assert.Equal(t, want.ambiguous, exists && calendar.Ambiguous(at), text)
	}
}

func TestWallHasNoYearThatJSONLacks(t *testing.T) {
	t.Parallel()
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	for _, hours := range []int{-12, 0, 14} {
		zone := time.FixedZone("", hours*3600)
		wall := calendar.Wall(last, zone)
		assert.Equal(t, 9999, wall.Year(), "%d", hours)
		_, err := json.Marshal(calendar.Unwall(wall, zone))
		assert.NoError(t, err, "%d", hours)
	}
}
