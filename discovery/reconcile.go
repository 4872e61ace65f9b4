package discovery

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// ReconcileOpenAICost compares what [Client.FetchOpenAICostBuckets] reads with what was counted locally in the same window. The window
// must begin and end at midnight UTC; the end may also be open, in the current day or in the future.
func (c *Client) ReconcileOpenAICost(ctx context.Context, query OpenAICostQuery, attributedUSD *float64) (*ReconciliationReport[CostBucket], error) {
	days, err := c.openAIDays(query)
	return reconcile(ctx, c, "ReconcileOpenAICost", days, err, attributedUSD)
}

// ReconcileAnthropicCost is [Client.ReconcileOpenAICost] for [Client.FetchAnthropicCostBuckets]. The report does not include the priority
// service tier, so leave it out of the counted amount too.
func (c *Client) ReconcileAnthropicCost(ctx context.Context, query AnthropicCostQuery, attributedUSD *float64) (*ReconciliationReport[CostBucket], error) {
	days, err := c.anthropicDays(query)
	return reconcile(ctx, c, "ReconcileAnthropicCost", days, err, attributedUSD)
}

// checkWhole accepts an end in the current day or later.
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

// report returns the report of a provider that lists every UTC day.
func (q dayQuery) report(costs bill[CostBucket], attributedUSD *float64) *ReconciliationReport[CostBucket] {
	r := newReport(q.provider, costs, attributedUSD)
	r.WindowStart, r.WindowEnd = q.start, ptr.Of(q.end)
	r.Settled = q.end != 0 && settled(time.Unix(q.end, 0), time.UTC)
	if r.Complete {
		r.MissingDays = missingDays(costs.buckets, q.start, min(q.end, time.Now().Unix()))
	}
	return r
}

// missingDays returns the days of a window that have no bucket. A bucket may end at any time after the window.
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

// ReconcileXAICost compares what [Client.FetchXAICostBuckets] reads with what was counted locally in the same window. The window must
// begin and end with the buckets of the query's unit, in its time zone; calendar weeks begin on Monday. The end may also be in the
// current bucket or in the future.
func (c *Client) ReconcileXAICost(ctx context.Context, query XAICostQuery, attributedUSD *float64) (*ReconciliationReport[TeamCostBucket], error) {
	window, err := query.window()
	return reconcile(ctx, c, "ReconcileXAICost", window, err, attributedUSD)
}

// bounds leaves the end open: a last bucket that ends after the window has only what was used in the window.
func (w xaiWindow) bounds() (start, end int64) {
	if w.Unit == calendar.Whole {
		return math.MinInt64, 0
	}
	return w.Start.Unix(), 0
}

func (w xaiWindow) report(costs bill[TeamCostBucket], attributedUSD *float64) *ReconciliationReport[TeamCostBucket] {
	r, end := newReport(models.XAI, costs, attributedUSD), w.End.Unix()
	r.WindowStart, r.WindowEnd, r.Settled = w.Start.Unix(), &end, settled(w.End, w.End.Location())
	return r
}

// reconcile returns the report of a query, whose own error is err.
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
	report := query.report(costs, attributedUSD)
	if wrong := costs.check(query.bounds()); wrong != nil {
		report = query.report(bill[B]{buckets: []B{}}, attributedUSD)
		err = c.report(ctx, request{operation: operation, provider: report.Provider}.undecodable(wrong))
	}
	return report, err
}

func checkAttributed(usd *float64) error {
	if usd == nil || finite(*usd) {
		return nil
	}
	return invalid("attributedUSD", strconv.FormatFloat(*usd, 'g', -1, 64), "must be finite")
}

// settled reports whether a window that ends at end, exclusive, ends before today.
func settled(end time.Time, zone *time.Location) bool {
	year, month, day := time.Now().In(zone).Date()
	return !end.After(calendar.StartOfDay(year, month, day, zone))
}
