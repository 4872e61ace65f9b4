package discovery

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Layouts of a time with an offset and of one without. A blank in place of the T and lower case letters are accepted too.
var (
	offsetLayouts = []string{
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07:00", "2006-01-02T15Z07:00",
		"20060102T150405Z07:00", "20060102T150405Z0700",
	}
	localLayouts = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", "20060102T150405"}
)

// window is the time range of a query, in its time zone.
type window struct {
	start, end time.Time
	unit       TimeUnit
	timezone   string
	zone       *time.Location
}

// window validates the times of the query.
func (q XAICostQuery) window() (w window, err error) {
	w = window{unit: cmp.Or(q.TimeUnit, TimeUnitDay), timezone: cmp.Or(q.Timezone, DefaultTimezone)}
	if !slices.Contains(timeUnits, w.unit) {
		return w, &ValueError{Field: "time unit", Value: showable(string(w.unit)), Reason: "must be one of the TimeUnit constants, such as TIME_UNIT_DAY"}
	}
	if w.zone, err = loadZone(w.timezone); err != nil {
		return w, err
	}
	if w.start, err = w.parse("start time", q.StartTime); err != nil {
		return w, err
	}
	if w.end, err = w.parse("end time", q.EndTime); err != nil {
		return w, err
	}
	if !w.start.Before(w.end) {
		return w, &ValueError{Field: "start time", Value: showable(q.StartTime), Reason: "must be before the end time"}
	}
	if truncated := w.end.Truncate(time.Second); truncated.Before(w.end) {
		w.end = truncated.Add(time.Second) // formatting the start drops its fraction
	}
	return w, nil
}

// loadZone returns a time zone. UTC is available without a time zone database. Local is refused: it is the zone of this
// machine, not of xAI.
func loadZone(name string) (*time.Location, error) {
	if slices.Contains([]string{DefaultTimezone, "Etc/UTC", "GMT", "UTC"}, name) {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, &ValueError{Field: "timezone", Value: showable(name), Reason: "is unknown; it must be an IANA name such as Europe/Berlin"}
	}
	return zone, nil
}

// parse returns a time in the zone of the window.
func (w window) parse(field, text string) (time.Time, error) {
	t, ok := parseTime(text, w.zone)
	if !ok {
		return t, &ValueError{Field: field, Value: showable(text), Reason: "must be a time such as 2026-05-01T00:00:00Z or 2026-05-01 00:00:00 that exists in the time zone"}
	}
	if !unambiguous(t) {
		return t, &ValueError{Field: field, Value: showable(text), Reason: "is ambiguous where the clocks of the time zone change, and xAI takes no offset; use Etc/GMT"}
	}
	return t, nil
}

// parseTime parses a time with an offset, or without one in the given zone. It reports false for a time that the clocks of the
// zone skip.
func parseTime(text string, zone *time.Location) (time.Time, bool) {
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

// unambiguous reports whether the clocks of the zone show t once. xAI takes local times without an offset, so it could not
// tell two apart.
func unambiguous(t time.Time) bool {
	begin, end := t.ZoneBounds()
	if !end.IsZero() && !t.Add(turnedBack(end)).Before(end) {
		return false
	}
	return begin.IsZero() || !t.Add(-turnedBack(begin)).Before(begin)
}

// turnedBack returns by how much the clocks go back at a change; it is negative where they go forward.
func turnedBack(change time.Time) time.Duration {
	_, before := change.Add(-1).Zone()
	_, after := change.Zone()
	return time.Duration(before-after) * time.Second
}

// endOf returns the end of the bucket that begins at begin.
func (w window) endOf(begin time.Time) time.Time {
	if w.unit == TimeUnitCalendarWeek {
		year, month, day := begin.Date()
		return startOfDay(year, month, day+7, w.zone)
	}
	return w.nextBoundary(begin)
}

// nextBoundary returns the first start of a bucket after t. Calendar weeks begin on Monday.
func (w window) nextBoundary(t time.Time) time.Time {
	year, month, day := t.Date()
	switch w.unit {
	case TimeUnitDay:
		return startOfDay(year, month, day+1, w.zone)
	case TimeUnitCalendarWeek:
		return startOfDay(year, month, day+7-(int(t.Weekday())+6)%7, w.zone)
	case TimeUnitMonth:
		return startOfDay(year, month+1, 1, w.zone)
	case TimeUnitHour:
		return nextMultiple(t, time.Hour)
	case TimeUnitQuarterHour:
		return nextMultiple(t, 15*time.Minute)
	case TimeUnitMinute:
		return nextMultiple(t, time.Minute)
	case TimeUnitSecond:
		return nextMultiple(t, time.Second)
	default: // TimeUnitNone
		return w.end
	}
}

// outside reports whether the bucket that begins at begin lies wholly outside the window. With [TimeUnitNone], xAI may write
// any time of the first day.
func (w window) outside(begin time.Time) bool {
	end := w.endOf(begin)
	if w.unit == TimeUnitNone {
		year, month, day := begin.Date()
		end = startOfDay(year, month, day+1, w.zone)
	}
	return !begin.Before(w.end) || !end.After(w.start)
}

// checkWhole refuses a window that does not begin and end with its buckets. An end in the current bucket or in the future is
// valid: nothing is used there yet.
func (w window) checkWhole() error {
	if w.unit == TimeUnitNone {
		return nil
	}
	boundary := func(t time.Time) bool { return w.nextBoundary(t.Add(-1)).Equal(t) }
	if !boundary(w.start) {
		return &ValueError{Field: "start time", Value: w.start.Format(time.RFC3339), Reason: "must be the start of a bucket of " + string(w.unit)}
	}
	if !boundary(w.end) && w.nextBoundary(w.end).Before(w.nextBoundary(time.Now().In(w.zone))) {
		return &ValueError{Field: "end time", Value: w.end.Format(time.RFC3339), Reason: "must be the end of a bucket of " + string(w.unit)}
	}
	return nil
}

// startOfDay returns the first moment of a day. Where the clocks go forward at midnight that is an hour later, and time.Date
// returns the last hour of the day before.
func startOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if t.Hour() > 12 {
		_, t = t.ZoneBounds()
	}
	return t
}

// nextMultiple returns the first moment after t whose clock shows a multiple of width.
func nextMultiple(t time.Time, width time.Duration) time.Time {
	since := time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
	return t.Add(width - since%width)
}
