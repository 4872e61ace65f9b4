package discovery

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// countedCalls are the calls in the window of a report.
type countedCalls struct {
	calls    []bills.Counted
	unpriced int
}

// callsBy are the names that the groups of [ReconciliationReport.WithCalls] are by. More may follow.
var callsBy = []string{"day", "model", "provider", "platform", "billing"}

// WithCalls returns a copy of the report with the calls of the report's provider and window. The groups are of [calls.Sum] by day, model,
// provider, platform and billing, in this order; more names may follow, of which "unpriced" makes causes exact. Calls on another platform
// and of a subscription are left out. Table of the copy shows counted and billed amounts side by side, day by day. AttributedUSD is the
// sum of the calls, and the drift is computed from it.
//
// Calls are counted by UTC days. AttributedUSD is nil if nothing was counted in the window, or if the window or its buckets do not begin
// and end with UTC days. The drift is also nil if the window has unpriced calls. Groups by other names panic with a [*ValueError].
func (r *ReconciliationReport[B]) WithCalls(groups []calls.Group) *ReconciliationReport[B] {
	counted, provider := []bills.Counted{}, modelid.Canonical(string(r.Provider))
	from, end := time.Unix(r.WindowStart, 0), time.Unix(ptr.Value(r.WindowEnd), 0)
	for i := range groups {
		g := &groups[i]
		if len(g.By) < len(callsBy) {
			panic(invalid("groups", strings.Join(g.By, ", "), "must be by "+strings.Join(callsBy, ", ")))
		}
		day, err := time.Parse(time.DateOnly, g.By[0])
		if err != nil {
			panic(invalid("groups", g.By[0], "must begin with a day"))
		}
		if g.By[2] != provider || g.By[3] != "" || g.By[4] == subscription || day.Before(from) || r.WindowEnd != nil && !day.Before(end) {
			continue
		}
		counted = append(counted, bills.Counted{Day: g.By[0], Model: g.By[1], Calls: g.Calls, Unpriced: g.Unpriced, USD: g.USD, FeesUSD: g.FeesUSD, Usage: g.Usage})
	}
	return r.withCounted(counted)
}

// subscription is the billing of calls that are not charged.
const subscription = "subscription"

// withCounted returns a copy of the report with calls of its provider and window.
func (r *ReconciliationReport[B]) withCounted(counted []bills.Counted) *ReconciliationReport[B] {
	with := *r
	with.AttributedUSD, with.DriftUSD, with.DriftPct = nil, nil, nil
	with.counted = &countedCalls{}
	if !r.wholeUTCDays() {
		return &with
	}
	with.counted.calls = counted
	var total decimal.Decimal
	priced := false
	for i := range counted {
		with.counted.unpriced += counted[i].Unpriced
		total = total.Add(decimal.FromText(counted[i].USD))
		priced = priced || counted[i].Calls > counted[i].Unpriced
	}
	if !priced {
		return &with
	}
	attributed := total.Float64()
	with.AttributedUSD = &attributed
	if with.Complete && with.finiteBill() && with.counted.unpriced == 0 {
		with.setDrift(total.Rat())
	}
	return &with
}

// Within reports whether the billed and the attributed amount differ by at most percent of the billed amount. known is
// false if the bill is not complete, nothing was attributed or counted, a call is unpriced, an amount is not
// finite, or percent is negative or not finite.
func (r *ReconciliationReport[B]) Within(percent float64) (ok, known bool) {
	attributed, driftUSD := finiteOrNil(r.AttributedUSD), finiteOrNil(r.DriftUSD)
	if r.actual() == nil || attributed == nil || driftUSD == nil || !finite(percent) || percent < 0 {
		return false, false
	}
	allowed := new(big.Rat).Abs(r.exactActual())
	allowed.Mul(allowed, exactOf(percent)).Quo(allowed, big.NewRat(100, 1))
	drift := exactOf(*driftUSD)
	return drift.Abs(drift).Cmp(allowed) <= 0, true
}

// wholeUTCDays reports whether window and buckets can be compared with calls. The end may be in the current day or later.
func (r *ReconciliationReport[B]) wholeUTCDays() bool {
	today := calendar.DayNumber(time.Now()) * calendar.SecondsPerDay
	if r.WindowStart%calendar.SecondsPerDay != 0 || (r.WindowEnd != nil && *r.WindowEnd%calendar.SecondsPerDay != 0 && *r.WindowEnd < today) {
		return false
	}
	return !slices.ContainsFunc(r.Buckets, func(b B) bool {
		s := spanOf(b)
		start, end := b.times()
		return s.last-s.first > 1 && (start.Unix()%calendar.SecondsPerDay != 0 || end.Unix()%calendar.SecondsPerDay != 0)
	})
}

// countedNote describes what a comparison with calls lacks; "" when nothing.
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
