package discovery

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// countedCalls is what a ledger counted in the window of a report.
type countedCalls struct {
	days     []dayCopy // of all providers
	provider Provider
	unpriced int
}

// WithLedger returns a copy of the report with what a ledger counted for the report's provider in its window. Table and
// SVG of the copy show counted beside billed, day by day; AttributedUSD is the sum of the ledger, and the drift follows.
//
// A ledger counts by UTC days. AttributedUSD is nil when nothing was counted in the window, and when window or buckets do not
// begin and end with UTC days. The drift is nil also when calls of the window are unpriced: an unpriced call belongs to no
// provider and counts for every report. Later changes of the ledger do not reach the report.
func (r *ReconciliationReport[B]) WithLedger(l *Ledger) *ReconciliationReport[B] {
	with := *r
	with.AttributedUSD, with.DriftUSD, with.DriftPct = nil, nil, nil
	with.counted = &countedCalls{provider: r.Provider}
	if l == nil || !r.wholeUTCDays() {
		return &with
	}
	var end time.Time
	if r.WindowEnd != nil {
		end = time.Unix(*r.WindowEnd, 0)
	}
	with.counted.days = l.window(time.Unix(r.WindowStart, 0), end)
	total, counted := with.counted.sum()
	if !counted {
		return &with
	}
	attributed := total.Float64()
	with.AttributedUSD = &attributed
	if with.Complete && with.counted.unpriced == 0 {
		with.setDrift(total.Rat())
	}
	return &with
}

// sum returns the sum of the provider's calls, counts the unpriced ones, and reports whether there is any call of the provider.
func (c *countedCalls) sum() (total decimal.Money, counted bool) {
	for i := range c.days {
		c.unpriced += c.days[i].unpriced
		total.Add(c.days[i].total(c.provider))
		for key := range c.days[i].sums {
			counted = counted || key.provider == c.provider
		}
	}
	return total, counted
}

// setDrift sets the drift from the attributed amount.
func (r *ReconciliationReport[B]) setDrift(attributed *big.Rat) {
	drift := new(big.Rat).Sub(decimal.FromFloat(r.ActualUSD), attributed)
	r.DriftUSD = finiteFloat(drift)
	if attributed.Sign() > 0 {
		r.DriftPct = finiteFloat(drift.Mul(drift, big.NewRat(100, 1)).Quo(drift, attributed))
	}
}

// Within reports whether billed and attributed amount differ by at most percent of the attributed amount. It is known only
// when the bill is complete, something was attributed or counted, no call of the ledger is unpriced, and percent is a number of
// 0 or more.
func (r *ReconciliationReport[B]) Within(percent float64) (ok, known bool) {
	if !r.Complete || r.AttributedUSD == nil || r.DriftUSD == nil || !finite(percent) || percent < 0 {
		return false, false
	}
	allowed := decimal.FromFloat(*r.AttributedUSD)
	allowed.Mul(allowed.Abs(allowed), decimal.FromFloat(percent)).Quo(allowed, big.NewRat(100, 1))
	drift := decimal.FromFloat(*r.DriftUSD)
	return drift.Abs(drift).Cmp(allowed) <= 0, true
}

// wholeUTCDays reports whether window and buckets can be compared with a ledger. The end may be in the current day or later.
func (r *ReconciliationReport[B]) wholeUTCDays() bool {
	today := dayNumber(time.Now()) * secondsPerDay
	if r.WindowStart%secondsPerDay != 0 || (r.WindowEnd != nil && *r.WindowEnd%secondsPerDay != 0 && *r.WindowEnd < today) {
		return false
	}
	return !slices.ContainsFunc(r.Buckets, func(b B) bool {
		s := spanOf(b)
		return s.last-s.first > 1 && (b.begin()%secondsPerDay != 0 || b.end()%secondsPerDay != 0)
	})
}

// span is the UTC days of a bucket, the last exclusive.
type span struct{ first, last int64 }

func spanOf[B Bucket](b B) span {
	first := b.begin() / secondsPerDay
	return span{first, max(first+1, (b.end()+secondsPerDay-1)/secondsPerDay)}
}

// rows returns a row for each bucket. With a ledger there is one for each UTC day that has a bucket or a call; a bucket of
// several days stays one row.
func (r *ReconciliationReport[B]) rows() []reportRow {
	if r.counted == nil || len(r.counted.days) == 0 {
		rows := make([]reportRow, len(r.Buckets))
		for i, bucket := range r.Buckets {
			rows[i] = bucket.row()
		}
		return rows
	}
	spans := make(map[span]*comparedRow)
	for _, bucket := range r.Buckets {
		compared := rowOf(spans, spanOf(bucket))
		compared.billed.Add(compared.billed, decimal.FromFloat(bucket.row().usd))
	}
	for i := range r.counted.days {
		day := &r.counted.days[i]
		compared := rowOf(spans, spanWith(spans, day.number))
		compared.counted.Add(day.total(r.Provider))
		compared.unpriced += day.unpriced
	}
	return sortedRows(spans)
}

// comparedRow is what was billed and counted in a span.
type comparedRow struct {
	billed   *big.Rat
	counted  decimal.Money
	unpriced int
}

func rowOf(spans map[span]*comparedRow, s span) *comparedRow {
	if spans[s] == nil {
		spans[s] = &comparedRow{billed: new(big.Rat)}
	}
	return spans[s]
}

// spanWith returns the span that a day is in, or the day.
func spanWith(spans map[span]*comparedRow, day int64) span {
	for s := range spans {
		if s.first <= day && day < s.last {
			return s
		}
	}
	return span{day, day + 1}
}

func sortedRows(spans map[span]*comparedRow) []reportRow {
	rows := make([]reportRow, 0, len(spans))
	for s, compared := range spans {
		billed, _ := compared.billed.Float64()
		counted := compared.counted.Float64()
		label := time.Unix(s.first*secondsPerDay, 0).UTC().Format(time.DateOnly)
		rows = append(rows, reportRow{label: label, usd: billed, counted: &counted, unpriced: compared.unpriced})
	}
	slices.SortFunc(rows, func(a, b reportRow) int { return strings.Compare(a.label, b.label) })
	return rows
}

// countedNote describes what a comparison with a ledger lacks; "" when nothing.
func (r *ReconciliationReport[B]) countedNote() string {
	switch {
	case r.counted == nil:
		return ""
	case !r.wholeUTCDays():
		return "not compared: the ledger counts by UTC days, and the bill does not"
	case r.counted.unpriced > 0:
		return fmt.Sprintf("unpriced: %d counted calls have no known cost, so the drift is not known", r.counted.unpriced)
	case r.AttributedUSD == nil:
		return "not compared: the ledger has no call of " + string(r.Provider) + " in this window"
	}
	return ""
}

// compared reports whether the rows have counted amounts.
func compared(rows []reportRow) bool { return len(rows) > 0 && rows[0].counted != nil }

// cells returns a row of the table.
func (row *reportRow) cells() []string {
	cells := []string{row.label, formatUSD(&row.usd)}
	if row.counted != nil {
		cells = append(cells, row.countedText())
	}
	return cells
}

// countedText returns the counted amount, marked where calls are unpriced.
func (row *reportRow) countedText() string {
	text := formatUSD(row.counted)
	if row.unpriced > 0 {
		text += fmt.Sprintf(" + %d unpriced", row.unpriced)
	}
	return text
}
