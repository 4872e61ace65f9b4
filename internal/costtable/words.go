package costtable

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Period returns a period of whole days for people, such as "25 Oct to 21 Nov 2026 (28 days, UTC)".
func Period(from, to time.Time, days int) string {
	from, last := from.UTC(), to.Add(-1).UTC()
	const short, long = "2 Jan", "2 Jan 2006"
	text := from.Format(long) + " to " + last.Format(long)
	switch {
	case days <= 1:
		text = last.Format(long)
	case from.Year() == last.Year():
		text = from.Format(short) + " to " + last.Format(long)
	}
	return fmt.Sprintf("%s (%s, UTC)", text, Days(days))
}

// Days returns a number of days in words.
func Days(n int) string { return Number(n, "day", "days") }

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

// About returns an estimate: from 100 dollars on without cents.
func About(usd string) string {
	const whole = 100
	if Exact(usd).Cmp(big.NewRat(whole, 1)) >= 0 {
		return Separated(Exact(usd).FloatString(0))
	}
	return USD(usd)
}
