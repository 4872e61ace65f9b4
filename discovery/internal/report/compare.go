package report

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// Span is a number of UTC days since 1970-01-01, the last exclusive.
type Span struct{ First, Last int64 }

// Billed is what was billed in a span.
type Billed struct {
	Span
	USD float64
}

// Counted is what was counted on a UTC day, and how many of its calls have no known cost.
type Counted struct {
	Day      int64
	USD      decimal.Decimal
	Unpriced int
}

// Compare returns a row for each day that was billed or counted, in their order. A billed span of several days stays one row.
func Compare(billed []Billed, counted []Counted) []Row {
	tallies := make(map[Span]*tally)
	for i := range billed {
		t := tallyOf(tallies, billed[i].Span)
		t.billed.Add(t.billed, decimal.FromFloat(billed[i].USD))
	}
	for i := range counted {
		t := tallyOf(tallies, spanWith(billed, counted[i].Day))
		t.counted = t.counted.Add(counted[i].USD)
		t.unpriced += counted[i].Unpriced
	}
	rows := make([]Row, 0, len(tallies))
	for span, t := range tallies {
		billedUSD, _ := t.billed.Float64()
		countedUSD := t.counted.Float64()
		label := time.Unix(span.First*calendar.SecondsPerDay, 0).UTC().Format(time.DateOnly)
		rows = append(rows, Row{Label: label, USD: billedUSD, Counted: &countedUSD, Unpriced: t.unpriced})
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Label, b.Label) })
	return rows
}

// tally is what was billed and counted in a span.
type tally struct {
	billed   *big.Rat
	counted  decimal.Decimal
	unpriced int
}

func tallyOf(tallies map[Span]*tally, s Span) *tally {
	if tallies[s] == nil {
		tallies[s] = &tally{billed: new(big.Rat)}
	}
	return tallies[s]
}

// spanWith returns the first billed span that a day is in, else the day.
func spanWith(billed []Billed, day int64) Span {
	for i := range billed {
		if s := billed[i].Span; s.First <= day && day < s.Last {
			return s
		}
	}
	return Span{day, day + 1}
}
