// Package dates reads the days and times of flags and of the arguments of tools.
package dates

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MaxDays is the largest number of days that Days accepts: a century, which a time.Duration can hold.
const MaxDays = 36_500

// Days reads a number of days such as "60d". It reports false for any other text, and above MaxDays.
func Days(text string) (days int, ok bool) {
	number, ok := strings.CutSuffix(text, "d")
	n, err := strconv.ParseUint(number, 10, 16)
	return int(n), ok && err == nil && n <= MaxDays
}

// Day reads a day such as 2026-11-21, or a number of days before the day of now: 7d is seven days ago. A day begins at 00:00 UTC.
func Day(text string, now time.Time) (time.Time, bool) {
	if days, ok := Days(text); ok {
		return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -days), true
	}
	t, err := time.Parse(time.DateOnly, text)
	return t, err == nil
}

// Time reads a day as [Day] does, or an RFC 3339 time. "" is the zero time.
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
