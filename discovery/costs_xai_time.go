package discovery

import (
	"cmp"
	"slices"
	"time"
)

// nativeTime is how xAI writes a time: without a zone, which goes beside it.
const nativeTime = time.DateTime

// isoTimes are the forms of a time with an offset, once there is a T in it; bareTime is the one without.
var isoTimes = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07:00"}

const bareTime = "2006-01-02T15:04:05"

// window is what is asked for, in the zone that it is asked in.
type window struct {
	start, end time.Time
	unit       TimeUnit
	timezone   string
	zone       *time.Location
}

// window reads the times of the query.
func (q XAICostQuery) window() (w window, err error) {
	w = window{unit: cmp.Or(q.TimeUnit, TimeUnitDay), timezone: cmp.Or(q.Timezone, DefaultTimezone)}
	if !slices.Contains(timeUnits, w.unit) {
		return w, &ValueError{Field: "time unit", Value: showable(string(w.unit)), Reason: "is not one of the eight"}
	}
	if w.zone, err = zoneOf(w.timezone); err != nil {
		return w, err
	}
	if w.start, err = w.read("start time", q.StartTime); err != nil {
		return w, err
	}
	if w.end, err = w.read("end time", q.EndTime); err != nil {
		return w, err
	}
	if !w.start.Before(w.end) {
		return w, &ValueError{Field: "start time", Value: showable(q.StartTime), Reason: "is not before the end time"}
	}
	if whole := w.end.Truncate(time.Second); whole.Before(w.end) {
		w.end = whole.Add(time.Second) // that of the start goes when it is written
	}
	return w, nil
}

// zoneOf loads a zone. UTC has to be there where nothing is installed; Local is a zone of this machine, not of xAI's.
func zoneOf(name string) (*time.Location, error) {
	if slices.Contains([]string{DefaultTimezone, "Etc/UTC", "GMT", "UTC"}, name) {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, &ValueError{Field: "timezone", Value: showable(name), Reason: "is not known; it has to be an IANA name, as in Europe/Berlin"}
	}
	return zone, nil
}

// read reads a time into the zone of the window.
func (w window) read(field, text string) (time.Time, error) {
	t, ok := parseTime(text, w.zone)
	if !ok {
		return t, &ValueError{Field: field, Value: showable(text), Reason: "is not a time as in 2026-05-01T00:00:00Z or 2026-05-01 00:00:00, or none of the zone"}
	}
	if !plain(t) {
		return t, &ValueError{Field: field, Value: showable(text), Reason: "falls where the clocks of the zone change, and xAI takes no offset; ask in Etc/GMT"}
	}
	return t, nil
}

// parseTime reads a time, with an offset or in the zone. A time that the clocks of the zone leave out is none.
func parseTime(text string, zone *time.Location) (time.Time, bool) {
	if len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == ' ' {
		text = text[:len(time.DateOnly)] + "T" + text[len(time.DateOnly)+1:]
	}
	for _, layout := range isoTimes {
		if t, err := time.Parse(layout, text); err == nil {
			return t.In(zone), true
		}
	}
	wall, err := time.Parse(bareTime, text)
	if err != nil {
		return wall, false
	}
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	return t, t.Format(bareTime) == wall.Format(bareTime)
}

// plain reports whether the clocks of the zone show t once. Without an offset, xAI could not tell which one is meant.
func plain(t time.Time) bool {
	begin, end := t.ZoneBounds()
	if !end.IsZero() && !t.Add(shift(end)).Before(end) {
		return false
	}
	return begin.IsZero() || !t.Add(-shift(begin)).Before(begin)
}

// shift is by how much the clocks go back at a change, negative where they go forward.
func shift(change time.Time) time.Duration {
	_, before := change.Add(-1).Zone()
	_, after := change.Zone()
	return time.Duration(before-after) * time.Second
}

// endOf is the end of the bucket that begins at begin: the next unit of the calendar or the clock.
func (w window) endOf(begin time.Time) time.Time {
	year, month, day := begin.Date()
	switch w.unit {
	case TimeUnitDay:
		return firstOf(year, month, day+1, w.zone)
	case TimeUnitCalendarWeek:
		return firstOf(year, month, day+7, w.zone)
	case TimeUnitMonth:
		return firstOf(year, month+1, 1, w.zone)
	case TimeUnitHour:
		return nextFull(begin, time.Hour)
	case TimeUnitQuarterHour:
		return nextFull(begin, 15*time.Minute)
	case TimeUnitMinute:
		return nextFull(begin, time.Minute)
	case TimeUnitSecond:
		return nextFull(begin, time.Second)
	default: // TimeUnitNone
		return w.end
	}
}

// firstOf is the first moment of a day. Where the clocks go forward at midnight that is an hour later, and time.Date
// answers with the last hour of the day before.
func firstOf(year int, month time.Month, day int, zone *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if t.Hour() > 12 {
		_, t = t.ZoneBounds()
	}
	return t
}

// nextFull is the next moment whose clock shows a multiple of width.
func nextFull(t time.Time, width time.Duration) time.Time {
	since := time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
	return t.Add(width - since%width)
}
