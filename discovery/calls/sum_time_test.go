package calls_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

func TestSumByWeekAndMonth(t *testing.T) {
	t.Parallel()
	for at, want := range map[string][2]string{
		"2026-11-16T00:00:00Z":           {"2026-11-16", "2026-11"}, // a Monday
		"2026-11-22T23:59:59.999999999Z": {"2026-11-16", "2026-11"}, // a Sunday
		"2026-11-23T00:30:00+01:00":      {"2026-11-16", "2026-11"}, // Sunday in UTC
		"2026-11-22T23:30:00-01:00":      {"2026-11-23", "2026-11"},
		"2027-01-01T00:00:00Z":           {"2026-12-28", "2027-01"}, // week 53 in 2026
		"2026-12-31T23:59:59Z":           {"2026-12-28", "2026-12"},
		"2026-12-31T23:59:59-01:00":      {"2026-12-28", "2027-01"},
		"2024-12-30T12:00:00Z":           {"2024-12-30", "2024-12"}, // week 1 in 2025
		"2028-02-29T12:00:00Z":           {"2028-02-28", "2028-02"}, // the leap day
		"2028-03-05T12:00:00Z":           {"2028-02-28", "2028-03"},
		"2100-03-01T12:00:00Z":           {"2100-03-01", "2100-03"}, // not after a leap day
		"0001-01-01T00:00:01Z":           {"0001-01-01", "0001-01"},
		"9999-12-31T23:59:59Z":           {"9999-12-27", "9999-12"},
	} {
		rows, err := sumOf(t, calls.Options{By: [][]string{{"week", "month"}}}, lineOf(at, `,"usd":"1"`))
		require.NoError(t, err)
		require.Len(t, rows, 1)
		assert.Equal(t, want[:], rows[0].Values, at)
	}
}

// TestSumOfWeeksIsThatOfTheirDays checks that weeks and months add up their days, and
// that their names sort by time.
func TestSumOfWeeksIsThatOfTheirDays(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 7))
	begin := time.Date(2023, 12, 1, 0, 0, 0, 0, time.UTC) // the range has a leap day, and years that start in mid-week
	lines := make([]string, 4000)
	for i := range lines {
		at := begin.Add(time.Duration(random.Int64N(int64(3 * 366 * 24 * time.Hour))))
		lines[i] = lineOf(at.Format(time.RFC3339Nano), fmt.Sprintf(`,"usd":"0.%03d"`, random.IntN(1000)))
	}
	file := writeFiles(t, map[string]string{"calls.jsonl": strings.Join(lines, "\n")})
	all, err := calls.Sum(calls.Options{By: [][]string{{"day"}, {"week"}, {"month"}}}, file)
	require.NoError(t, err)
	weeks, months := newTotals(), newTotals()
	for _, row := range all[0] {
		day, err := time.Parse(time.DateOnly, row.Values[0])
		require.NoError(t, err)
		first := day
		for first.Weekday() != time.Monday {
			first = first.AddDate(0, 0, -1)
		}
		weeks.add(first.Format(time.DateOnly), &row)
		months.add(day.Format("2006-01"), &row)
	}
	for i, want := range []totals{weeks, months} {
		got := newTotals()
		for _, row := range all[i+1] {
			got.add(row.Values[0], &row)
		}
		assert.Equal(t, want, got)
		assert.Len(t, all[i+1], len(want), "each name once")
		assert.True(t, slices.IsSortedFunc(all[i+1], func(a, b calls.Group) int { return strings.Compare(a.Values[0], b.Values[0]) }))
	}
	assert.Greater(t, len(weeks), 150)
}

// totals maps a name to the number of calls and their cost.
type totals map[string]string

func newTotals() totals { return totals{} }

func (t totals) add(name string, row *calls.Group) {
	number, usd := 0, new(big.Rat)
	if text, ok := t[name]; ok {
		var amount string
		_, _ = fmt.Sscan(text, &number, &amount)
		usd.SetString(amount)
	}
	more, _ := new(big.Rat).SetString(string(row.USD))
	t[name] = fmt.Sprint(number+row.Calls, " ", usd.Add(usd, more).RatString())
}

// Days start at midnight in the given zone.
func TestSumInAZone(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 2*60*60)
	rows, err := sumOf(t, calls.Options{By: [][]string{{"day", "week", "month"}}, Location: zone}, lineOf("2026-11-29T22:30:00Z", `,"usd":"1"`), lineOf("2026-11-30T23:30:00Z", `,"usd":"2"`))
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Equal(t, []string{"2026-11-30", "2026-11-30", "2026-11"}, rows[0].Values)
	assert.Equal(t, []string{"2026-12-01", "2026-11-30", "2026-12"}, rows[1].Values)
}
