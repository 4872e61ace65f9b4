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

// long is the layout of a day.
const long = "2 Jan 2006"

// Period returns a period for people, such as "25 Oct to 21 Nov 2026 (28 days, UTC)". running reports whether it ends
// after the present time. The times show the clock of the zone as if it was UTC.
func Period(from, to time.Time, running bool, zone string) string {
	length := Length(from, to)
	if running {
		length += ", today included"
	}
	return fmt.Sprintf("%s (%s, %s)", Days(from, to, " to "), length, zone)
}

// Days returns the first and the last day of a period in UTC with a text between them, or its times unless it has whole days.
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

// Instant returns a time in UTC.
func Instant(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04") }

// Length returns the length of a period in words: in days if it has whole ones, or else in hours or minutes.
func Length(from, to time.Time) string {
	const minute, hour, day = 60, 60 * 60, 24 * 60 * 60
	seconds := to.Add(time.Nanosecond).Unix() - from.Unix() // a time.Duration ends after 292 years
	switch {
	case isMidnight(from) && isMidnight(to):
		return Number(int(seconds/day), "day", "days")
	case seconds%hour == 0:
		return Number(int(seconds/hour), "hour", "hours")
	default:
		return Number(int(seconds/minute), "minute", "minutes")
	}
}

// Start returns the start of a period: its day, with the time unless that is 00:00 UTC.
func Start(at time.Time) string {
	if isMidnight(at) {
		return at.UTC().Format(long)
	}
	return Instant(at)
}

// isMidnight reports whether a day begins at a time, or ends with its nanosecond.
func isMidnight(at time.Time) bool {
	next := at.Add(time.Nanosecond)
	return at.Equal(at.UTC().Truncate(24*time.Hour)) || next.Equal(next.UTC().Truncate(24*time.Hour))
}

// OldPrices returns how old a price table is, and what gets a newer one; "" if its day is unknown or not more than 14 days before now.
func OldPrices(day string, now time.Time) string {
	at, err := time.Parse(time.DateOnly, day)
	const secondsPerDay = 24 * 60 * 60
	days := int((now.Unix() - at.Unix()) / secondsPerDay)
	if err != nil || days <= 14 {
		return ""
	}
	return fmt.Sprintf("the table is of %s, %d days old; mesh update gets the newest", day, days)
}

// Calls returns a number of calls in words.
func Calls(n int) string { return Number(n, "call", "calls") }

// Labels returns which labels calls have, such as "with team=search, without job"; "" for none. The value "" is no label.
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

// Number returns a number with its noun.
func Number(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + more
}

// Count returns a whole number with separators of thousands.
func Count(n int) string { return money.Separated(strconv.Itoa(n)) }

// Provider returns the name of a provider.
func Provider(id string) string {
	names := map[string]string{"openai": "OpenAI", "anthropic": "Anthropic", "gemini": "Gemini", "xai": "xAI", "deepseek": "DeepSeek", "": "no provider"}
	return cmp.Or(names[id], Line(id))
}

// Since returns the first day of a budget that never begins again, as in " since 2026-11-22"; "" of one with a period, and without calls.
func Since(per string, first time.Time) string {
	if per != "" || first.IsZero() {
		return ""
	}
	return " since " + first.Format(time.DateOnly)
}
