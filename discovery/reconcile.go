package discovery

import (
	"context"
	"encoding/json"
	"fmt"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"math/big"
	"strconv"
	"time"
)

const (
	opReconcileOpenAI = "ReconcileOpenAICost"
	opReconcileXAI    = "ReconcileXAICost"
)

// Bucket is what a report can be made of.
type Bucket interface {
	CostBucket | TeamCostBucket
	// line is the bucket as a line of a table.
	line() reportLine
}

// reportLine is a bucket for people to read.
type reportLine struct {
	begin string
	usd   float64
}

// ReconciliationReport compares what a provider billed in a window with what was counted locally (SPEC.md, Reconciliation
// report). Its JSON is that of the source document, with openai_actual_usd or xai_actual_usd by Provider, window_end null
// where the window is open, and two more keys, complete and settled. A report is the caller's own.
type ReconciliationReport[B Bucket] struct {
	// Provider is who billed: OpenAI or XAI.
	Provider Provider
	// ActualUSD is the exact sum of what was billed, rounded once to a float64. It is no figure unless Complete.
	ActualUSD float64
	// AttributedUSD is what was counted locally, nil when not given. 0 is a value.
	AttributedUSD *float64
	// DriftUSD is the actual less the attributed amount: positive when the provider billed more than was counted. The
	// difference is that of the decimals. It is nil when nothing was attributed, or the report is not complete.
	DriftUSD *float64
	// DriftPct is the drift in percent of the attributed amount; nil also when that is 0.
	DriftPct *float64
	// Buckets are what was billed, oldest first; never nil.
	Buckets []B
	// WindowStart and WindowEnd are in Unix seconds, the end exclusive; nil is an open window.
	WindowStart int64
	WindowEnd   *int64
	// Complete is false when the provider could not be asked, for want of a key or because the call failed. Then nothing
	// in the report is a figure: it does not say that nothing was billed.
	Complete bool
	// Settled is false when the window reaches into today (UTC for OpenAI, the zone of the query for xAI), lies in the future or
	// is open. Providers settle late, so the actual amount of such a window still grows. It says nothing about Complete.
	Settled bool
}

// MarshalJSON writes the report under the names of the source document. A provider that has no report is an error.
func (r ReconciliationReport[B]) MarshalJSON() ([]byte, error) {
	report := struct {
		OpenAI      *float64 `json:"openai_actual_usd,omitempty"`
		XAI         *float64 `json:"xai_actual_usd,omitempty"`
		Attributed  *float64 `json:"attributed_usd"`
		Drift       *float64 `json:"drift_usd"`
		DriftPct    *float64 `json:"drift_pct"`
		Buckets     []B      `json:"buckets"`
		WindowStart int64    `json:"window_start"`
		WindowEnd   *int64   `json:"window_end"`
		Complete    bool     `json:"complete"`
		Settled     bool     `json:"settled"`
	}{
		Attributed: r.AttributedUSD, Drift: r.DriftUSD, DriftPct: r.DriftPct, Buckets: append([]B{}, r.Buckets...),
		WindowStart: r.WindowStart, WindowEnd: r.WindowEnd, Complete: r.Complete, Settled: r.Settled,
	}
	switch r.Provider {
	case OpenAI:
		report.OpenAI = &r.ActualUSD
	case XAI:
		report.XAI = &r.ActualUSD
	default:
		return nil, fmt.Errorf("discovery: there is no report of provider %q", showable(string(r.Provider)))
	}
	return json.Marshal(report)
}

// ReconcileOpenAICost compares what OpenAI billed in a window with what was counted locally in the same window (SPEC.md,
// reconcile provider A cost). nil for attributedUSD skips the comparison.
//
// It reads with the admin key as [Client.FetchOpenAICostBuckets] does: that key can mint and delete keys and manage the whole
// organization, it comes from query.AdminKey, else OPENAI_ADMIN_KEY, is never stored, and is nothing for hot paths.
//
// When OpenAI could not be asked there is a report all the same, with Complete false, and one [Failure]. An attributed
// amount that is negative or no number is a [*ValueError], as are the query's own. It is safe for concurrent use.
func (c *Client) ReconcileOpenAICost(ctx context.Context, query OpenAICostQuery, attributedUSD *float64) (*ReconciliationReport[CostBucket], error) {
	if err := checkAttributed(attributedUSD); err != nil {
		return nil, err
	}
	costs, err := c.openAICosts(ctx, opReconcileOpenAI, query)
	if costs.buckets == nil {
		return nil, err
	}
	r := reconcile(OpenAI, costs, attributedUSD)
	r.WindowStart, r.WindowEnd = query.StartTime, nonZero(&query.EndTime)
	r.Settled = query.EndTime != 0 && settled(time.Unix(query.EndTime, 0), time.UTC)
	return r, err
}

// ReconcileXAICost compares what xAI billed a team in a window with what was counted locally in the same window (SPEC.md,
// reconcile provider E cost). nil for attributedUSD skips the comparison.
//
// It reads with the management key as [Client.FetchXAICostBuckets] does: that key can mint and delete the keys of the team
// and manage it, it comes from query.ManagementKey, else XAI_MANAGEMENT_KEY, is never stored, and is nothing for hot paths.
//
// When xAI could not be asked there is a report all the same, with Complete false, and one [Failure]. An attributed amount
// that is negative or no number is a [*ValueError], as are the query's own. It is safe for concurrent use.
func (c *Client) ReconcileXAICost(ctx context.Context, query XAICostQuery, attributedUSD *float64) (*ReconciliationReport[TeamCostBucket], error) {
	if err := checkAttributed(attributedUSD); err != nil {
		return nil, err
	}
	costs, w, err := c.xaiCosts(ctx, opReconcileXAI, query)
	if costs.buckets == nil {
		return nil, err
	}
	r, end := reconcile(XAI, costs, attributedUSD), w.end.Unix()
	r.WindowStart, r.WindowEnd, r.Settled = w.start.Unix(), &end, settled(w.end, w.zone)
	return r, err
}

func checkAttributed(usd *float64) error {
	if usd == nil || (finite(*usd) && *usd >= 0) {
		return nil
	}
	return &ValueError{Field: "attributed USD", Value: strconv.FormatFloat(*usd, 'g', -1, 64), Reason: "has to be 0 or more, and finite"}
}

// reconcile makes the report but for its window.
func reconcile[B Bucket](provider Provider, costs billed[B], attributedUSD *float64) *ReconciliationReport[B] {
	r := &ReconciliationReport[B]{Provider: provider, ActualUSD: costs.total.Float64(), Buckets: costs.buckets, Complete: costs.complete}
	if attributedUSD == nil {
		return r
	}
	copied := *attributedUSD
	r.AttributedUSD = &copied
	if !costs.complete {
		return r
	}
	attributed := decimal.FromFloat(copied)
	drift := new(big.Rat).Sub(costs.total.Rat(), attributed)
	r.DriftUSD = floatOf(drift)
	if attributed.Sign() != 0 {
		r.DriftPct = floatOf(drift.Mul(drift, big.NewRat(100, 1)).Quo(drift, attributed))
	}
	return r
}

// floatOf is the float64 that is nearest to r, nil where there is none: what is out of range is not known.
func floatOf(r *big.Rat) *float64 {
	f, _ := r.Float64()
	if !finite(f) {
		return nil
	}
	return &f
}

// settled reports whether a window that ends at end, exclusive, reaches no further than yesterday.
func settled(end time.Time, zone *time.Location) bool {
	year, month, day := time.Now().In(zone).Date()
	return !end.After(firstOf(year, month, day, zone))
}
