package output

import (
	"strconv"
	"strings"
	"time"
)

// Unknown replaces a value that is not known in a table.
const Unknown = "-"

// Time returns a time of the gateway as an absolute and a relative one: "2026-11-21 07:54 UTC (3h ago)".
func Time(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return t.UTC().Format("2006-01-02 15:04 UTC") + " (" + age(time.Since(t)) + ")"
}

// age returns an age in words, rounded down. Clocks differ, so that a new message may have a time in the future.
func age(d time.Duration) string {
	switch {
	case d < -time.Minute:
		return "in the future"
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m ago"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + "h ago"
	default:
		return strconv.Itoa(int(d.Hours()/24)) + "d ago"
	}
}

// Text returns a text, or "-" for nil and "".
func Text(text *string) string {
	if text == nil || *text == "" {
		return Unknown
	}
	return *text
}

// Count returns a number, or "-" for nil.
func Count(n *int64) string {
	if n == nil {
		return Unknown
	}
	return strconv.FormatInt(*n, 10)
}

// Decimal returns the shortest decimal that is the float64.
func Decimal(amount float64) string { return strconv.FormatFloat(amount, 'f', -1, 64) }

// YesNo returns "yes" or "no".
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Alternatives returns names as "a, b or c".
func Alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
