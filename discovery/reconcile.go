package discovery

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

const (
	opReconcileOpenAI    = "ReconcileOpenAICost"
	opReconcileAnthropic = "ReconcileAnthropicCost"
	opReconcileXAI       = "ReconcileXAICost"
)

// ReconcileOpenAICost compares what [Client.FetchOpenAICostBuckets] reads with what was counted locally in the same window. The window
// must begin and end at midnight UTC; the end may also be open, in the current day or in the future.
func (c *Client) ReconcileOpenAICost(ctx context.Context, query OpenAICostQuery, attributedUSD *float64) (*ReconciliationReport[CostBucket], error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	days, err := c.openAIDays(query)
	if err != nil {
		return nil, err
	}
	return c.reconcileDays(ctx, opReconcileOpenAI, days, attributedUSD)
}

// ReconcileAnthropicCost is [Client.ReconcileOpenAICost] for [Client.FetchAnthropicCostBuckets]. The report does not include the priority
// service tier, so leave it out of the counted amount too.
func (c *Client) ReconcileAnthropicCost(ctx context.Context, query AnthropicCostQuery, attributedUSD *float64) (*ReconciliationReport[CostBucket], error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	days, err := c.anthropicDays(query)
	if err != nil {
		return nil, err
	}
	return c.reconcileDays(ctx, opReconcileAnthropic, days, attributedUSD)
}

// reconcileDays reports a bill of UTC days.
func (c *Client) reconcileDays(ctx context.Context, operation string, query dayQuery, attributedUSD *float64) (*ReconciliationReport[CostBucket], error) {
	if err := checkAttributed(attributedUSD); err != nil {
		return nil, err
	}
	if err := query.checkWholeDays(); err != nil {
		return nil, err
	}
	provider, _ := lookupService(query.service)
	costs, err := c.dayCosts(ctx, operation, query)
	lastMidnight := (query.end + calendar.SecondsPerDay - 1) / calendar.SecondsPerDay * calendar.SecondsPerDay // that of the current day for an end in it
	if wrong := costs.check(query.start, lastMidnight); wrong != nil {
		costs = bill[CostBucket]{buckets: []CostBucket{}}
		err = c.report(ctx, request{operation: operation, provider: provider.provider}.undecodable(wrong))
	}
	return newDayReport(provider.provider, costs, attributedUSD, query.start, query.end), err
}

// checkWholeDays refuses a window that does not consist of whole UTC days. An end in the current day or later is valid.
func (q dayQuery) checkWholeDays() error {
	const reason = "must be midnight UTC: costs are billed by whole days"
	if q.start%calendar.SecondsPerDay != 0 {
		return invalid(q.startField, q.formatTime(q.start), reason)
	}
	if today := time.Now().Unix(); q.end%calendar.SecondsPerDay != 0 && q.end < today-today%calendar.SecondsPerDay {
		return invalid(q.endField, q.formatTime(q.end), reason)
	}
	return nil
}

// newDayReport returns the report of a provider that lists every UTC day. An end of 0 is an open window.
func newDayReport(provider models.Provider, costs bill[CostBucket], attributedUSD *float64, start, end int64) *ReconciliationReport[CostBucket] {
	r := newReport(provider, costs, attributedUSD)
	r.WindowStart, r.WindowEnd = start, ptr.Of(end)
	r.Settled = end != 0 && settled(time.Unix(end, 0), time.UTC)
	if r.Complete {
		r.MissingDays = missingDays(costs.buckets, start, min(end, time.Now().Unix()))
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
	// A last bucket that ends after the window has only what was used in the window.
	start := w.Start.Unix()
	if w.Unit == calendar.Whole {
		start = math.MinInt64
	}
	if wrong := costs.check(start, 0); wrong != nil {
		costs = bill[TeamCostBucket]{buckets: []TeamCostBucket{}}
		err = c.report(ctx, request{operation: opReconcileXAI, provider: models.XAI}.undecodable(wrong))
	}
	r, end := newReport(models.XAI, costs, attributedUSD), w.End.Unix()
	r.WindowStart, r.WindowEnd, r.Settled = w.Start.Unix(), &end, settled(w.End, w.End.Location())
	return r, err
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
