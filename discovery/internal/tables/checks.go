package tables

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// Text accepts any cell.
func Text(string) string { return "" }

// Given accepts any cell that isn't empty.
func Given(cell string) string { return unless(strings.TrimSpace(cell) != "", "must not be empty") }

// OneOf accepts one of the words, which may include "".
func OneOf(words ...string) Check {
	return func(cell string) string {
		return unless(slices.Contains(words, cell), "must be one of "+strings.Join(words, ", "))
	}
}

// Optional also accepts an empty cell.
func Optional(check Check) Check {
	return func(cell string) string {
		if cell == "" {
			return ""
		}
		return check(cell)
	}
}

// Day accepts a UTC day.
func Day(cell string) string {
	_, err := time.Parse(time.DateOnly, cell)
	return unless(err == nil, "must be a day such as 2026-12-01")
}

// PastDay accepts a day that has begun somewhere: a later one would stay newer than all
// others.
func PastDay(cell string) string {
	day, err := time.Parse(time.DateOnly, cell)
	return unless(err == nil && !day.After(Tomorrow()), "must be a day such as 2026-12-01, not in the future")
}

// Tomorrow returns the last day that can have begun somewhere.
func Tomorrow() time.Time { return calendar.Date(time.Now()).AddDate(0, 0, 1) }

// Time accepts a day or an RFC 3339 time.
func Time(cell string) string {
	_, err := time.Parse(time.DateOnly, cell)
	if err != nil {
		_, err = time.Parse(time.RFC3339, cell)
	}
	return unless(err == nil, "must be a day or a time such as 2026-12-01T16:00:00Z")
}

// Clock accepts a time such as 16:30.
func Clock(cell string) string {
	_, err := time.Parse("15:04", cell)
	return unless(err == nil, "must be a time of the day such as 16:30")
}

// Length accepts a token count.
func Length(cell string) string {
	n, err := strconv.ParseUint(cell, 10, 64)
	return unless(err == nil && n <= 1<<40, "must be a number of tokens")
}

// Decimal accepts a plain decimal below 1e15, to keep every cost a finite float64.
func Decimal(cell string) string {
	whole, fraction, pointed := strings.Cut(cell, ".")
	ok := whole != "" && len(whole) <= 15 && !strings.ContainsFunc(whole+fraction, notDigit) && pointed == (fraction != "")
	return unless(ok, "must be a decimal such as 2.5")
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// Patterns accepts names that are separated by semicolons.
func Patterns(cell string) string {
	return unless(!slices.Contains(strings.Split(cell, ";"), ""), "must be names separated by semicolons")
}

func unless(ok bool, must string) string {
	if ok {
		return ""
	}
	return must
}
