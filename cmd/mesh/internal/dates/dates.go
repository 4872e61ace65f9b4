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
// 00:00 UTC.
func Day(text string, now time.Time) (time.Time, bool) {
	if days, ok := Days(text); ok {
		return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -days), true
	}
	t, err := time.Parse(time.DateOnly, text)
	return t, err == nil
}

// Time parses a day as [Day] does, or an RFC 3339 time. "" is the zero time.
func Time(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, ok := Day(text, time.Now()); ok {
		return day, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("time %q must be like 2026-11-21, 7d (seven days ago) or 2026-11-21T07:00:00Z", text)
	}
	return t, nil
}
