package main

import (
	"strconv"
	"time"
)

// unknown replaces a value that is not known in a table.
const unknown = "-"

// now returns the time that relative times are counted from.
func now() time.Time { return time.Now().UTC() }

// when returns a time of the gateway as an absolute and a relative one: "2026-11-21 07:54 UTC (3h ago)".
func when(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return t.UTC().Format("2006-01-02 15:04 UTC") + " (" + ago(now().Sub(t)) + ")"
}

// ago returns an age in words, rounded down. Clocks differ, so that a new message may have a time in the future.
func ago(d time.Duration) string {
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

// parseTime reads a day, which begins at 00:00 UTC, or an RFC 3339 time. "" is the zero time.
func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("time %q must be like 2026-11-21 or 2026-11-21T07:00:00Z", text)
}

func orUnknown(text *string) string {
	if text == nil || *text == "" {
		return unknown
	}
	return *text
}

// count returns a number of tokens.
func count(n *int64) string {
	if n == nil {
		return unknown
	}
	return strconv.FormatInt(*n, 10)
}

// usd returns an amount as its shortest decimal.
func usd(amount *float64) string {
	if amount == nil {
		return unknown
	}
	return decimal(*amount)
}

// decimal returns the shortest decimal that is the float64.
func decimal(amount float64) string { return strconv.FormatFloat(amount, 'f', -1, 64) }

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
