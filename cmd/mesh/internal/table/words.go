package table

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/money"
)

const long = "2 Jan 2006"

// Period formats a period like "25 Oct to 21 Nov 2026 (28 days, UTC)". Set running if it
// includes now. Times are on the clock in zone, but have the location UTC.
func Period(from, to time.Time, running bool, zone string) string {
	length := Length(from, to)
	if running {
		length += ", today included"
	}
	return fmt.Sprintf("%s (%s, %s)", Days(from, to, " to "), length, zone)
}

// Days returns the first and last day, joined by between. If the period has partial days,
// it returns times instead.
func Days(from, to time.Time, between string) string {
	first, last := from.UTC(), to.Add(-1).UTC()
	switch {
	case !isMidnight(from) || !isMidnight(to):
		return Instant(from) + between + Instant(to)
	case first.Format(long) == last.Format(long):
		return first.Format(long)
	case first.Year() == last.Year():
		return first.Format("2 Jan") + between + last.Format(long)
	}
	return first.Format(long) + between + last.Format(long)
}

// Instant formats a time in UTC, like "2 Jan 2006, 15:04".
func Instant(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04") }

// Length returns a period's length in days or, if it has partial days, in hours or
// minutes.
func Length(from, to time.Time) string {
	const minute, hour, day = 60, 60 * 60, 24 * 60 * 60
	seconds := to.Add(time.Nanosecond).Unix() - from.Unix() // a time.Duration overflows after 292 years
	switch {
	case isMidnight(from) && isMidnight(to):
		return Number(int(seconds/day), "day", "days")
	case seconds%hour == 0:
		return Number(int(seconds/hour), "hour", "hours")
	default:
		return Number(int(seconds/minute), "minute", "minutes")
	}
}

// Start returns the day, and the time unless it's 00:00 UTC.
func Start(at time.Time) string {
	if isMidnight(at) {
		return at.UTC().Format(long)
	}
	return Instant(at)
}

// isMidnight also accepts the last nanosecond before midnight.
func isMidnight(at time.Time) bool {
	next := at.Add(time.Nanosecond)
	return at.Equal(at.UTC().Truncate(24*time.Hour)) || next.Equal(next.UTC().Truncate(24*time.Hour))
}

// OldPrices describes an outdated price table and its update. It returns "" if the table
// is at most 14 days old, or day is not a date.
func OldPrices(day string, now time.Time) string {
	at, err := time.Parse(time.DateOnly, day)
	const secondsPerDay = 24 * 60 * 60
	days := int((now.Unix() - at.Unix()) / secondsPerDay)
	if err != nil || days <= 14 {
		return ""
	}
	return fmt.Sprintf("the table is from %s, %d days old; mesh update gets the newest", day, days)
}

// Calls returns "1 call" or, for example, "2,000 calls".
func Calls(n int) string { return Number(n, "call", "calls") }

// Labels describes a selection, such as "with team=search, without job"; "" if labels is
// empty. The value "" means that the label must be missing.
func Labels(labels map[string]string) string {
	var with, without []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if value := labels[name]; value != "" {
			with = append(with, name+"="+value)
		} else {
			without = append(without, name)
		}
	}
	var parts []string
	if with != nil {
		parts = append(parts, "with "+strings.Join(with, ", "))
	}
	if without != nil {
		parts = append(parts, "without "+strings.Join(without, ", "))
	}
	return strings.Join(parts, ", ")
}

// Number returns n with the singular or plural noun.
func Number(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + more
}

// Count adds thousands separators.
func Count(n int) string { return money.Separated(strconv.Itoa(n)) }

// Provider returns a provider's display name.
func Provider(id string) string {
	names := map[string]string{"openai": "OpenAI", "anthropic": "Anthropic", "gemini": "Gemini", "xai": "xAI", "deepseek": "DeepSeek", "": "no provider"}
	return cmp.Or(names[id], Line(id))
}

// Since returns " since 2026-11-22" for a budget without a period, or "".
func Since(per string, first time.Time) string {
	if per != "" || first.IsZero() {
		return ""
	}
	return " since " + first.Format(time.DateOnly)
}
