// Package dates parses days and times in flags and tool arguments.
package dates

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MaxDays is the most that Days accepts: a century fits into a time.Duration.
const MaxDays = 36_500

// Days parses a number of days such as "60d".
func Days(text string) (days int, ok bool) {
	number, ok := strings.CutSuffix(text, "d")
	n, err := strconv.ParseUint(number, 10, 16)
	return int(n), ok && err == nil && n <= MaxDays
}

// Day reads a day such as 2026-11-21, or a number of days before now: 7d is seven days ago. It starts at 00:00 UTC.
func Day(text string, now time.Time) (time.Time, bool) { return DayIn(text, now.UTC()) }

// DayIn is [Day] with the zone of now.
func DayIn(text string, now time.Time) (time.Time, bool) {
	if days, ok := Days(text); ok {
		y, m, d := now.Date()
		return time.Date(y, m, d-days, 0, 0, 0, 0, now.Location()), true
	}
	t, err := time.ParseInLocation(time.DateOnly, text, now.Location())
	return t, err == nil
}

// Time reads a UTC day as [Day] does, or an RFC 3339 time. "" is the zero time.
func Time(text string) (time.Time, error) { return TimeIn(text, time.Now().UTC()) }

// TimeIn is [Time] with days in the zone of now.
func TimeIn(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, ok := DayIn(text, now); ok {
		return day, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("time %q must be like 2026-11-21, 7d (seven days ago) or 2026-11-21T07:00:00Z", text)
	}
	return t, nil
}
