package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// ReconciliationReport compares a provider's bill for a window with your own counts. If
// you fill one in yourself, an infinite or NaN amount means unknown, and can't be encoded
// as JSON.
type ReconciliationReport[B Bucket] struct {
	Provider models.Provider `json:"-"`
	// ActualUSD is the exact sum of the bill, rounded once. It's meaningful only if
	// Complete is true.
	ActualUSD float64 `json:"-"`
	// AttributedUSD is the cost you counted, or nil if nothing was given. 0 is an amount,
	// and credits are negative.
	AttributedUSD *float64 `json:"attributed_usd"`
	// DriftUSD is the actual minus the attributed amount, computed in decimal. It's
	// positive if the provider billed more than you counted. It's nil if nothing was
	// attributed or the bill couldn't be read.
	DriftUSD *float64 `json:"drift_usd"`
	// DriftPct is the drift in percent of the attributed amount. It's nil if DriftUSD is
	// nil, or the attributed amount isn't positive.
	DriftPct *float64 `json:"drift_pct"`
	// Buckets is the bill, oldest bucket first. It's never nil.
	Buckets []B `json:"buckets"`
	// MissingDays are past days in the window, as in 2026-05-01, without a bucket from
	// OpenAI or Anthropic. They count as 0, but are unexpected, because both list days
	// without costs. MissingDays is empty for xAI, which lists only usage, and for an
	// open window.
	MissingDays []string `json:"missing_days,omitempty"`
	// PartialDay is the day that the bill may cover only in part: today, or a saved bill's
	// last day; see [bills.Bill].
	PartialDay string `json:"partial_day,omitempty"`
	// IgnoredRows counts other services' rows in a file for [ReadGeminiBill].
	IgnoredRows int `json:"ignored_rows,omitempty"`
	// WindowStart and WindowEnd (exclusive) are in Unix seconds. WindowEnd is nil if the
	// window is open.
	WindowStart int64  `json:"window_start"`
	WindowEnd   *int64 `json:"window_end"`
	// Complete is false if the bill couldn't be read, because the key is missing or the
	// request failed. ActualUSD is then 0, which doesn't mean that nothing was billed.
	Complete bool `json:"complete"`
	// Settled is false if the actual amount may still grow: the window includes today (in
	// UTC, or in the query's time zone for xAI), lies in the future or is open. It's
	// independent of Complete.
	Settled bool `json:"settled"`

	// billed is the exact bill if rounding changed ActualUSD. It's nil otherwise, and if the
	// reconciliation came from JSON.
	billed  *big.Rat
	counted *countedCalls // set by WithCalls
}

// newReconciliation returns one without its window. costs must pass check.
func newReconciliation[B Bucket](provider models.Provider, costs bill[B], attributedUSD *float64) *ReconciliationReport[B] {
	actual := costs.total.Total()
	r := &ReconciliationReport[B]{
		Provider: provider, ActualUSD: actual.Float64(), AttributedUSD: ptr.Copy(attributedUSD),
		Buckets: costs.buckets, PartialDay: costs.partialDay(), Complete: costs.complete,
	}
	if exact := actual.Rat(); exact.Cmp(exactOf(r.ActualUSD)) != 0 {
		r.billed = exact
	}
	if attributedUSD != nil && costs.complete {
		r.setDrift(exactOf(*attributedUSD))
	}
	return r
}

// exactOf requires a finite amount.
func exactOf(usd float64) *big.Rat {
	r, err := decimal.FromFloat(usd)
	if err != nil {
		return new(big.Rat)
	}
	return r
}

func (r *ReconciliationReport[B]) setDrift(attributed *big.Rat) {
	drift := new(big.Rat).Sub(r.exactActual(), attributed)
	r.DriftUSD = finiteFloat(drift)
	if attributed.Sign() > 0 {
		r.DriftPct = finiteFloat(drift.Mul(drift, big.NewRat(100, 1)).Quo(drift, attributed))
	}
}

func (r *ReconciliationReport[B]) exactActual() *big.Rat {
	if r.billed != nil {
		if rounded, _ := r.billed.Float64(); rounded == r.ActualUSD {
			return r.billed
		}
	}
	return exactOf(r.ActualUSD)
}

// finiteFloat returns nil if r is out of range.
func finiteFloat(r *big.Rat) *float64 {
	f, _ := r.Float64()
	if !finite(f) {
		return nil
	}
	return &f
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func finiteOrNil(usd *float64) *float64 {
	if usd == nil || !finite(*usd) {
		return nil
	}
	return usd
}

// finiteBill reports whether all amounts are finite, as they are unless a program built
// the reconciliation.
func (r *ReconciliationReport[B]) finiteBill() bool {
	return finite(r.ActualUSD) && !slices.ContainsFunc(r.Buckets, func(b B) bool { return !finite(b.usd()) })
}

// actualsJSON has the fields for the actual amount. A reconciliation sets one.
type actualsJSON struct {
	OpenAI    *float64 `json:"openai_actual_usd,omitempty"`
	Anthropic *float64 `json:"anthropic_actual_usd,omitempty"`
	XAI       *float64 `json:"xai_actual_usd,omitempty"`
	Gemini    *float64 `json:"gemini_actual_usd,omitempty"`
}

func (a *actualsJSON) byProvider() map[models.Provider]**float64 {
	return map[models.Provider]**float64{models.OpenAI: &a.OpenAI, models.Anthropic: &a.Anthropic, models.XAI: &a.XAI, models.Gemini: &a.Gemini}
}

// reconciliationFields has no methods. Its JSON lacks the actual amount.
type reconciliationFields[B Bucket] ReconciliationReport[B]

// MarshalJSON encodes the actual amount as openai_actual_usd, anthropic_actual_usd,
// xai_actual_usd or gemini_actual_usd, depending on Provider, and other fields in snake
// case. A missing amount and an open end are null. missing_days, partial_day and
// ignored_rows are omitted if empty. An unknown provider is an error.
func (r ReconciliationReport[B]) MarshalJSON() ([]byte, error) {
	if r.Buckets == nil {
		r.Buckets = []B{}
	}
	var fields struct {
		actualsJSON
		reconciliationFields[B]
	}
	fields.reconciliationFields = reconciliationFields[B](r)
	actual := fields.byProvider()[r.Provider]
	if actual == nil {
		return nil, fmt.Errorf("discovery: there are no reconciliations for provider %q", argument.Shown(string(r.Provider)))
	}
	*actual = &r.ActualUSD
	return json.Marshal(fields)
}

// UnmarshalJSON decodes output from [ReconciliationReport.MarshalJSON]. It requires
// complete and exactly one provider's actual amount.
func (r *ReconciliationReport[B]) UnmarshalJSON(data []byte) error {
	var fields struct {
		actualsJSON
		reconciliationFields[B]
		Complete *bool `json:"complete"` // hides the embedded field, to tell false from absent
	}
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	read, given := ReconciliationReport[B](fields.reconciliationFields), 0
	read.Buckets = append([]B{}, read.Buckets...)
	for provider, actual := range fields.byProvider() {
		if *actual != nil {
			read.Provider, read.ActualUSD = provider, **actual
			given++
		}
	}
	if given != 1 || fields.Complete == nil {
		return errors.New("discovery: the JSON is not a reconciliation report")
	}
	read.Complete = *fields.Complete
	*r = read
	return nil
}

// Bucket is a reconciliation's bucket type.
type Bucket interface {
	CostBucket | TeamCostBucket
	usd() float64
	// items splits the amount by line item. It's empty if the bill isn't grouped by line
	// item.
	items() []billedItem
	// times returns the bucket's start and its exclusive end.
	times() (start, end time.Time)
}

func (b CostBucket) usd() float64 { return b.TotalUSD }

func (b CostBucket) times() (start, end time.Time) {
	return time.Unix(b.StartTime, 0).UTC(), time.Unix(b.EndTime, 0).UTC()
}

func (b TeamCostBucket) usd() float64 { return b.TotalUSD }

func (b TeamCostBucket) times() (start, end time.Time) {
	start, _ = time.Parse(time.RFC3339, b.StartTime)
	end, _ = time.Parse(time.RFC3339, b.EndTime)
	return start, end
}

// ReconcileOpenAICost compares a bill from [Client.FetchOpenAICostBuckets] with the cost
// you counted in the same window. The window must start and end at midnight UTC. Its end
// may also be open, or in the current day or the future.
func (c *Client) ReconcileOpenAICost(ctx context.Context, query OpenAICostQuery, attributedUSD *float64) (*ReconciliationReport[CostBucket], error) {
	days, err := c.openAIDays(query)
	return reconcile(ctx, c, "ReconcileOpenAICost", days, err, attributedUSD)
}

// ReconcileAnthropicCost is like [Client.ReconcileOpenAICost], for
// [Client.FetchAnthropicCostBuckets]. The bill doesn't include the priority service tier,
// so don't count that either.
func (c *Client) ReconcileAnthropicCost(ctx context.Context, query AnthropicCostQuery, attributedUSD *float64) (*ReconciliationReport[CostBucket], error) {
	days, err := c.anthropicDays(query)
	return reconcile(ctx, c, "ReconcileAnthropicCost", days, err, attributedUSD)
}

func (q dayQuery) checkWhole() error {
	const reason = "must be midnight UTC: costs are billed by whole days"
	if q.start%calendar.SecondsPerDay != 0 {
		return invalid(q.startField, q.formatTime(q.start), reason)
	}
	if today := time.Now().Unix(); q.end%calendar.SecondsPerDay != 0 && q.end < today-today%calendar.SecondsPerDay {
		return invalid(q.endField, q.formatTime(q.end), reason)
	}
	return nil
}

func (q dayQuery) bounds() (start, end int64) {
	return q.start, (q.end + calendar.SecondsPerDay - 1) / calendar.SecondsPerDay * calendar.SecondsPerDay // the next midnight
}

// reconcile works for providers that list every UTC day.
func (q dayQuery) reconcile(costs bill[CostBucket], attributedUSD *float64) *ReconciliationReport[CostBucket] {
	r := newReconciliation(q.provider, costs, attributedUSD)
	r.WindowStart, r.WindowEnd = q.start, ptr.Of(q.end)
	r.Settled = q.end != 0 && settled(time.Unix(q.end, 0), time.UTC)
	if r.Complete {
		r.MissingDays = missingDays(costs.buckets, q.start, min(q.end, time.Now().Unix()))
	}
	return r
}

// missingDays returns days in a window that have no bucket. A bucket may end at any time
// after the window.
func missingDays(buckets []CostBucket, start, end int64) []string {
	billed := make(map[int64]bool, len(buckets))
	for _, b := range buckets {
		for day := b.StartTime / calendar.SecondsPerDay; day*calendar.SecondsPerDay < min(b.EndTime, end); day++ {
			billed[day] = true
		}
	}
	var missing []string
	for day := start / calendar.SecondsPerDay; (day+1)*calendar.SecondsPerDay <= end; day++ {
		if !billed[day] {
			missing = append(missing, time.Unix(day*calendar.SecondsPerDay, 0).UTC().Format(time.DateOnly))
		}
	}
	return missing
}

// ReconcileXAICost compares a bill from [Client.FetchXAICostBuckets] with the cost you
// counted in the same window. The window must start and end with buckets of the query's
// unit, in its time zone. Calendar weeks start on Monday. The end may also be in the
// current bucket or the future.
func (c *Client) ReconcileXAICost(ctx context.Context, query XAICostQuery, attributedUSD *float64) (*ReconciliationReport[TeamCostBucket], error) {
	window, err := query.window()
	return reconcile(ctx, c, "ReconcileXAICost", window, err, attributedUSD)
}

// bounds leaves the end open: a last bucket that ends after the window has only costs
// from the window.
func (w xaiWindow) bounds() (start, end int64) {
	if w.Unit == calendar.Whole {
		return math.MinInt64, 0
	}
	return w.Start.Unix(), 0
}

func (w xaiWindow) reconcile(costs bill[TeamCostBucket], attributedUSD *float64) *ReconciliationReport[TeamCostBucket] {
	r, end := newReconciliation(models.XAI, costs, attributedUSD), w.End.Unix()
	r.WindowStart, r.WindowEnd, r.Settled = w.Start.Unix(), &end, settled(w.End, w.End.Location())
	return r
}

// reconcile returns a query's reconciliation. err is the query's own error.
func reconcile[B Bucket](
	ctx context.Context, c *Client, operation string, query billQuery[B], err error, attributedUSD *float64,
) (*ReconciliationReport[B], error) {
	if err := cmp.Or(c.ready(ctx), err, checkAttributed(attributedUSD)); err != nil {
		return nil, err
	}
	if err := query.checkWhole(); err != nil {
		return nil, err
	}
	costs, err := query.costs(ctx, c, operation)
	if wrong := costs.check(query.bounds()); wrong != nil { // check before counting the days between buckets
		empty := query.reconcile(bill[B]{buckets: []B{}}, attributedUSD)
		return empty, c.report(ctx, request{operation: operation, provider: empty.Provider}.undecodable(wrong))
	}
	return query.reconcile(costs, attributedUSD), err
}

func checkAttributed(usd *float64) error {
	if usd == nil || finite(*usd) {
		return nil
	}
	return invalid("attributedUSD", strconv.FormatFloat(*usd, 'g', -1, 64), "must be finite")
}

// settled reports whether an exclusive end is before today.
func settled(end time.Time, zone *time.Location) bool {
	year, month, day := time.Now().In(zone).Date()
	return !end.After(calendar.StartOfDay(year, month, day, zone))
}
