package calendar

import (
	"strings"
	"time"
)

// Layouts of a time with an offset and of one without.
var (
	offsetLayouts = []string{
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07:00", "2006-01-02T15Z07:00",
		"20060102T150405Z07:00", "20060102T150405Z0700",
	}
	localLayouts = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", "20060102T150405"}
)

// Parse parses a time in ISO 8601, with an offset or, without one, in the given zone, in which it returns it. A blank in place
// of the T and lower case letters are accepted too. It reports false for a time that the clocks of the zone skip.
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

// Ambiguous reports whether the clocks of the zone of t show its time twice, so that it needs an offset to be known.
func Ambiguous(t time.Time) bool {
	begin, end := t.ZoneBounds()
	if !end.IsZero() && !t.Add(turnedBack(end)).Before(end) {
		return true
	}
	return !begin.IsZero() && t.Add(-turnedBack(begin)).Before(begin)
}

// turnedBack returns by how much the clocks go back at a change; it is negative where they go forward.
func turnedBack(change time.Time) time.Duration {
	_, before := change.Add(-1).Zone()
	_, after := change.Zone()
	return time.Duration(before-after) * time.Second
}
