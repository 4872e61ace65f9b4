package discovery

import (
	"context"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/internal/report"
)

const opReconcileXAI = "ReconcileXAICost"

// Bucket is the type of a report's buckets.
type Bucket interface {
	CostBucket | TeamCostBucket
	// row is the bucket as a row of a table.
	row() report.Row
	// begin and end are those of the bucket in Unix seconds; the end is exclusive.
	begin() int64
	end() int64
}

// ReconciliationReport compares what a provider billed in a window with what was counted locally.
type ReconciliationReport[B Bucket] struct {
	// Provider is the provider that billed.
	Provider Provider
	// ActualUSD is the exact sum of what was billed, rounded once to a float64. It is meaningful only if Complete is true.
	ActualUSD float64
	// AttributedUSD is what was counted locally, or nil if nothing was given. 0 is an amount, and credits are negative.
	AttributedUSD *float64
	// DriftUSD is the actual minus the attributed amount, computed in decimal. It is positive if the provider billed more than
	// was counted, and nil if nothing was attributed or the report is not complete.
	DriftUSD *float64
	// DriftPct is the drift in percent of the attributed amount. It is nil if DriftUSD is nil or the attributed amount is 0 or
	// less.
	DriftPct *float64
	// Buckets are what was billed, oldest first. The slice is never nil.
	Buckets []B
	// MissingDays are the past days of the window, as in 2026-05-01, for which OpenAI or Anthropic sent no bucket. This is
	// unexpected, because they also list days without costs; such a day counts as 0. It is empty for xAI, which lists only
	// usage, and for a window without an end.
	MissingDays []string
	// WindowStart and WindowEnd are in Unix seconds; WindowEnd is exclusive, and nil if the window is open.
	WindowStart int64
	WindowEnd   *int64
	// Complete is false if the bill could not be read, because there is no key or the call failed. ActualUSD is then 0, which
	// does not mean that nothing was billed.
	Complete bool
	// Settled is false if the window includes today (UTC, or the time zone of the query for xAI), lies in the future or is
	// open: the actual amount can still grow. Settled is independent of Complete.
	Settled bool

	// billed is the sum that ActualUSD was rounded from; nil where nothing was lost, and in a report that was read from JSON.
	billed  *big.Rat
	counted *countedCalls // of WithLedger, or nil
}

// ReconcileXAICost compares what xAI billed a team in a window with what was counted locally in the same window. With a nil
// attributedUSD the report has no comparison.
//
// It reads the costs as [Client.FetchXAICostBuckets] does, with the same key. If they cannot be read, Complete is false, and
// one [Failure] is reported.
//
// The window must begin and end with the buckets of the query's unit, in its time zone; calendar weeks begin on Monday. The end
// may also be in the current bucket or in the future. Any other window is a [*ValueError], and so are an attributed amount that
// is not finite and an invalid query.
func (c *Client) ReconcileXAICost(ctx context.Context, query XAICostQuery, attributedUSD *float64) (*ReconciliationReport[TeamCostBucket], error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	if err := checkAttributed(attributedUSD); err != nil {
		return nil, err
	}
	w, err := query.window()
	if err != nil {
		return nil, err
	}
	if err := w.checkWhole(); err != nil {
		return nil, err
	}
	costs, err := c.xaiCosts(ctx, opReconcileXAI, query, w)
	if costs.buckets == nil {
		return nil, err
	}
	if w.Unit != calendar.Whole {
		// A last bucket that ends after the window holds what was used until then, since xAI adds up what the window has.
		costs, err = withinWindow(ctx, c, costs, err, request{operation: opReconcileXAI, provider: XAI}, w.Start.Unix(), 0)
	}
	r, end := newReport(XAI, costs, attributedUSD), w.End.Unix()
	r.WindowStart, r.WindowEnd, r.Settled = w.Start.Unix(), &end, settled(w.End, w.End.Location())
	return r, err
}

// withinWindow replaces a bill whose buckets reach beyond the window by an incomplete one, and reports the failure. Such a bill has
// costs from outside the window. An end of 0 is open.
func withinWindow[B Bucket](ctx context.Context, c *Client, costs bill[B], err error, r request, start, end int64) (bill[B], error) {
	n := len(costs.buckets)
	if n == 0 || (costs.buckets[0].begin() >= start && (end == 0 || costs.buckets[n-1].end() <= end)) {
		return costs, err
	}
	return bill[B]{buckets: []B{}}, c.report(ctx, r.undecodable(billing.ErrOutsideWindow))
}

func checkAttributed(usd *float64) error {
	if usd == nil || finite(*usd) {
		return nil
	}
	return &ValueError{Field: "attributed USD", Value: strconv.FormatFloat(*usd, 'g', -1, 64), Reason: "must be finite"}
}

// newReport returns the report without its window.
func newReport[B Bucket](provider Provider, costs bill[B], attributedUSD *float64) *ReconciliationReport[B] {
	actual := costs.total.Amount()
	r := &ReconciliationReport[B]{
		Provider: provider, ActualUSD: actual.Float64(), AttributedUSD: copied(attributedUSD),
		Buckets: costs.buckets, Complete: costs.complete,
	}
	if exact := actual.Rat(); exact.Cmp(decimal.FromFloat(r.ActualUSD)) != 0 {
		r.billed = exact
	}
	if attributedUSD != nil && costs.complete {
		r.setDrift(decimal.FromFloat(*attributedUSD))
	}
	return r
}

// setDrift sets the drift from an exact attributed amount.
func (r *ReconciliationReport[B]) setDrift(attributed *big.Rat) {
	drift := new(big.Rat).Sub(r.exactActual(), attributed)
	r.DriftUSD = finiteFloat(drift)
	if attributed.Sign() > 0 {
		r.DriftPct = finiteFloat(drift.Mul(drift, big.NewRat(100, 1)).Quo(drift, attributed))
	}
}

// exactActual returns the amount that ActualUSD is rounded from, else ActualUSD.
func (r *ReconciliationReport[B]) exactActual() *big.Rat {
	if r.billed != nil {
		if rounded, _ := r.billed.Float64(); rounded == r.ActualUSD {
			return r.billed
		}
	}
	return decimal.FromFloat(r.ActualUSD)
}

// finiteFloat returns the float64 nearest to r, or nil when it is out of range.
func finiteFloat(r *big.Rat) *float64 {
	f, _ := r.Float64()
	if !finite(f) {
		return nil
	}
	return &f
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// settled reports whether a window that ends at end, exclusive, ends before today.
func settled(end time.Time, zone *time.Location) bool {
	year, month, day := time.Now().In(zone).Date()
	return !end.After(calendar.StartOfDay(year, month, day, zone))
}
