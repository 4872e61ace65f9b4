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

// Day parses a day, such as 2026-11-21 or 7d (seven days before now), which starts at
// 00:00 in now's time zone.
func Day(text string, now time.Time) (time.Time, bool) {
	if days, ok := Days(text); ok {
		y, m, d := now.Date()
		return time.Date(y, m, d-days, 0, 0, 0, 0, now.Location()), true
	}
	t, err := time.ParseInLocation(time.DateOnly, text, now.Location())
	return t, err == nil
}

// Time parses a UTC day, or an RFC 3339 time. "" is the zero time.
func Time(text string) (time.Time, error) { return TimeIn(text, time.Now().UTC()) }

// TimeIn is [Time] with days in now's time zone.
func TimeIn(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, ok := Day(text, now); ok {
		return day, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil && Absent(text):
		return time.Time{}, fmt.Errorf("time %q does not exist", text)
	case err != nil:
		return time.Time{}, fmt.Errorf("time %q must be like 2026-11-21, 7d (seven days ago) or 2026-11-21T07:00:00Z", text)
	}
	return t, nil
}

// Absent reports whether text looks like a month, day or time but doesn't exist, such as
// 2026-11-31.
func Absent(text string) bool {
	for _, layout := range []string{"2006-01", time.DateOnly, "2006-01-02T15:04:05Z", "2006-01-02T15:04:05Z07:00"} {
		if _, err := time.Parse(layout, text); err != nil && shape(text) == shape(layout) {
			return true
		}
	}
	return false
}

// shape writes all digits as 0.
func shape(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return '0'
		}
		return c
	}, text)
}
