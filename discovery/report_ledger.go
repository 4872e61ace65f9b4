package discovery

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// countedCalls is what a ledger counted in the window of a report.
type countedCalls struct {
	days     []prices.LedgerDay // with the amounts of the report's provider
	unpriced int
}

// WithLedger returns a copy of the report with the costs that a ledger has for the report's provider and window. Table of
// the copy shows counted and billed amounts side by side, day by day. AttributedUSD is the sum of the ledger, and the drift
// is computed from it.
//
// A ledger counts by UTC days. AttributedUSD is nil if nothing was counted in the window, or if the window or its buckets do
// not begin and end with UTC days. The drift is also nil if the window has unpriced calls of the provider, or of one that is not
// known. Later changes of the ledger do not change the report.
func (r *ReconciliationReport[B]) WithLedger(l *prices.Ledger) *ReconciliationReport[B] {
	with := *r
	with.AttributedUSD, with.DriftUSD, with.DriftPct = nil, nil, nil
	with.counted = &countedCalls{}
	if l == nil || !r.wholeUTCDays() {
		return &with
	}
	var end time.Time
	if r.WindowEnd != nil {
		end = time.Unix(*r.WindowEnd, 0)
	}
	with.counted.days = l.DaysOf(r.Provider, time.Unix(r.WindowStart, 0), end)
	total, counted := with.counted.sum()
	if !counted {
		return &with
	}
	attributed := total.Float64()
	with.AttributedUSD = &attributed
	if with.Complete && with.finiteBill() && with.counted.unpriced == 0 {
		with.setDrift(total.Rat())
	}
	return &with
}

// list returns the days; none without a ledger.
func (c *countedCalls) list() []prices.LedgerDay {
	if c == nil {
		return nil
	}
	return c.days
}

// sum returns the sum of the provider's calls, counts the unpriced ones, and reports whether there is any call of the provider.
func (c *countedCalls) sum() (total decimal.Decimal, counted bool) {
	for i := range c.days {
		c.unpriced += c.days[i].Unpriced
		total = total.Add(decimal.FromText(c.days[i].USD))
		counted = counted || len(c.days[i].ByModel) > 0
	}
	return total, counted
}

// Within reports whether the billed and the attributed amount differ by at most percent of the attributed amount. known is
// false if the bill is not complete, nothing was attributed or counted, a call of the ledger is unpriced, an amount is not
// finite, or percent is negative or not finite.
func (r *ReconciliationReport[B]) Within(percent float64) (ok, known bool) {
	attributed, driftUSD := finiteOrNil(r.AttributedUSD), finiteOrNil(r.DriftUSD)
	if !r.Complete || !r.finiteBill() || attributed == nil || driftUSD == nil || !finite(percent) || percent < 0 {
		return false, false
	}
	allowed := decimal.FromFloat(*attributed)
	allowed.Mul(allowed.Abs(allowed), decimal.FromFloat(percent)).Quo(allowed, big.NewRat(100, 1))
	drift := decimal.FromFloat(*driftUSD)
	return drift.Abs(drift).Cmp(allowed) <= 0, true
}

// wholeUTCDays reports whether window and buckets can be compared with a ledger. The end may be in the current day or later.
func (r *ReconciliationReport[B]) wholeUTCDays() bool {
	today := calendar.DayNumber(time.Now()) * calendar.SecondsPerDay
	if r.WindowStart%calendar.SecondsPerDay != 0 || (r.WindowEnd != nil && *r.WindowEnd%calendar.SecondsPerDay != 0 && *r.WindowEnd < today) {
		return false
	}
	return !slices.ContainsFunc(r.Buckets, func(b B) bool {
		s := spanOf(b)
		return s.last-s.first > 1 && (b.begin()%calendar.SecondsPerDay != 0 || b.end()%calendar.SecondsPerDay != 0)
	})
}

// rows returns a row for each bucket, or with a ledger for each UTC day that has a bucket or a call. There are none if an
// amount of the bill is not finite.
func (r *ReconciliationReport[B]) rows() []report.Row {
	if !r.finiteBill() {
		return nil
	}
	if len(r.counted.list()) == 0 {
		rows := make([]report.Row, len(r.Buckets))
		for i, bucket := range r.Buckets {
			rows[i] = bucket.row()
		}
		return rows
	}
	days := r.days().sorted(true)
	rows := make([]report.Row, len(days))
	for i, day := range days {
		counted := decimal.FromText(day.CountedUSD).Float64()
		rows[i] = report.Row{Label: day.Name, USD: decimal.FromText(day.BilledUSD).Float64(), Counted: &counted, Unpriced: day.Unpriced}
	}
	return rows
}

// countedNote describes what a comparison with a ledger lacks; "" when nothing.
func (r *ReconciliationReport[B]) countedNote() string {
	switch {
	case r.counted == nil:
		return ""
	case !r.wholeUTCDays():
		return "not compared: calls are counted by UTC days, and the bill is not"
	case r.counted.unpriced > 0:
		return fmt.Sprintf("unpriced calls, without whose cost the drift is not known: %d", r.counted.unpriced)
	case r.AttributedUSD == nil:
		return "not compared: no call of " + string(r.Provider) + " was counted in this window"
	}
	return ""
}
