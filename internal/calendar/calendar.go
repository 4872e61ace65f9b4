// Package calendar divides time ranges into buckets. Days, weeks and months follow the
// calendar in a time zone, and shorter units follow its clock. A day may have 23 or 25
// hours, or start at one o'clock.
package calendar

import (
	"strings"
	"time"
)

// Unit is a bucket width.
type Unit int

// Whole makes the whole range one bucket. Weeks start on Monday.
const (
	Whole Unit = iota
	Second
	Minute
	QuarterHour
	Hour
	Day
	Week
	Month
)

// Units maps names in xAI requests to units.
var Units = map[string]Unit{
	"TIME_UNIT_NONE": Whole, "TIME_UNIT_SECOND": Second, "TIME_UNIT_MINUTE": Minute, "TIME_UNIT_QUARTER_HOUR": QuarterHour,
	"TIME_UNIT_HOUR": Hour, "TIME_UNIT_DAY": Day, "TIME_UNIT_CALENDAR_WEEK": Week, "TIME_UNIT_MONTH": Month,
}

// Range is a time range and its bucket width. End is exclusive, and Start and End must be
// in the same time zone.
type Range struct {
	Start, End time.Time
	Unit       Unit
}

// EndOf returns the end of a bucket. A week always has seven days, whatever day it begins
// on.
func (r Range) EndOf(begin time.Time) time.Time {
	if r.Unit == Week {
		year, month, day := begin.Date()
		return StartOfDay(year, month, day+7, begin.Location())
	}
	return r.Next(begin)
}

// Next returns the first bucket start after t.
func (r Range) Next(t time.Time) time.Time {
	year, month, day := t.Date()
	switch r.Unit {
	case Second:
		return nextMultiple(t, time.Second)
	case Minute:
		return nextMultiple(t, time.Minute)
	case QuarterHour:
		return nextMultiple(t, 15*time.Minute)
	case Hour:
		return nextMultiple(t, time.Hour)
	case Day:
		return StartOfDay(year, month, day+1, t.Location())
	case Week:
		return StartOfDay(year, month, day+7-(int(t.Weekday())+6)%7, t.Location())
	case Month:
		return StartOfDay(year, month+1, 1, t.Location())
	default: // Whole
		return r.End
	}
}

// Starts reports whether a bucket starts at t.
func (r Range) Starts(t time.Time) bool { return r.Next(t.Add(-1)).Equal(t) }

// Outside reports whether a bucket lies wholly outside the range. If the unit is [Whole],
// begin may be any time on the first day.
func (r Range) Outside(begin time.Time) bool {
	end := r.EndOf(begin)
	if r.Unit == Whole {
		year, month, day := begin.Date()
		end = StartOfDay(year, month, day+1, begin.Location())
	}
	return !begin.Before(r.End) || !end.After(r.Start)
}

// StartOfDay returns a day's first moment. If clocks go forward at midnight, that's one
// o'clock, where time.Date would return the day before.
func StartOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if t.Hour() > 12 {
		_, t = t.ZoneBounds()
	}
	return t
}

// nextMultiple returns the first moment after t at which the clock shows a multiple of
// width.
func nextMultiple(t time.Time, width time.Duration) time.Time {
	since := time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
	return t.Add(width - since%width)
}

// SecondsPerDay is exact, because Unix time has no leap seconds.
const SecondsPerDay = 24 * 60 * 60

// DayNumber returns at's UTC day, counted from 1970-01-01.
func DayNumber(at time.Time) int64 {
	seconds := at.Unix()
	if seconds < 0 {
		seconds -= SecondsPerDay - 1
	}
	return seconds / SecondsPerDay
}

// Date returns the start of at's UTC day.
func Date(at time.Time) time.Time {
	y, m, d := at.UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// Accepted layouts, with and without an offset.
var (
	offsetLayouts = []string{
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07:00", "2006-01-02T15Z07:00",
		"20060102T150405Z07:00", "20060102T150405Z0700",
	}
	localLayouts = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", "20060102T150405"}
)

// Parse parses an ISO 8601 time and returns it in zone. If text has no offset, it's a
// time in zone. A space instead of the T and lower case are accepted. Parse reports false
// for a time that zone's clocks skip.
func Parse(text string, zone *time.Location) (time.Time, bool) {
	text = strings.ToUpper(text)
	if len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == ' ' {
		text = text[:len(time.DateOnly)] + "T" + text[len(time.DateOnly)+1:]
	}
	for _, layout := range offsetLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.In(zone), true
		}
	}
	for _, layout := range localLayouts {
		if wall, err := time.Parse(layout, text); err == nil {
			t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
			return t, t.Format(localLayouts[0]) == wall.Format(localLayouts[0])
		}
	}
	return time.Time{}, false
}

// Ambiguous reports whether clocks show t's local time twice, so that only an offset
// tells which is meant.
func Ambiguous(t time.Time) bool {
	begin, end := t.ZoneBounds()
	if !end.IsZero() && !t.Add(turnedBack(end)).Before(end) {
		return true
	}
	return !begin.IsZero() && t.Add(-turnedBack(begin)).Before(begin)
}

// turnedBack is negative if the clocks go forward.
func turnedBack(change time.Time) time.Duration {
	_, before := change.Add(-1).Zone()
	_, after := change.Zone()
	return time.Duration(before-after) * time.Second
}

// Wall returns the UTC time with the date and clock that zone shows; nil is UTC. UTC days
// of such times are the zone's days. The last one is 9999-12-31, because JSON has no
// later year.
func Wall(at time.Time, zone *time.Location) time.Time {
	if zone == nil {
		return at.UTC()
	}
	at = at.In(zone)
	y, m, d := at.Date()
	if y > maxYear {
		return time.Date(maxYear, time.December, 31, 23, 59, 59, 0, time.UTC)
	}
	return time.Date(y, m, d, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
}

const maxYear = 9999

// Unwall returns the moment that [Wall] shows.
func Unwall(at time.Time, zone *time.Location) time.Time {
	if zone == nil {
		return at
	}
	y, m, d := at.Date()
	return time.Date(y, m, d, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), zone)
}

// ZoneName returns a name for people: for the local zone, its abbreviation at that time.
func ZoneName(zone *time.Location, at time.Time) string {
	switch name := zone.String(); {
	case zone == nil:
		return "UTC"
	case name == "Local":
		return at.In(zone).Format("MST")
	default:
		return name
	}
}
