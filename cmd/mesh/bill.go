package main

import (
	"context"
	"io"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// bill is a bill to compare with what was counted: a sum, a ledger, or nothing.
type bill struct {
	client   *discovery.Client
	provider discovery.Provider
	from, to time.Time
	counted  *float64
	ledger   *discovery.Ledger
	// rows are the calls of the ledger by day, provider, model and the reason of an unknown cost.
	rows []meter.Row
	// unread is the error of the lines that are not in rows.
	unread error
	// byItem requests the line items, which xAI always sends.
	byItem bool
}

// report is what the reports of all providers have in common.
type report interface {
	Table(out io.Writer) error
	SVG(out io.Writer) error
	Within(percent float64) (ok, known bool)
}

func newBill(provider, from, to string) (*bill, error) {
	p, err := discovery.ParseProvider(provider)
	if err != nil {
		return nil, err
	}
	b := &bill{provider: p}
	if b.from, err = day("--from", from); err != nil {
		return nil, err
	}
	if b.to, err = day("--to", to); err != nil {
		return nil, err
	}
	if !b.from.Before(b.to) {
		return nil, usagef("--from must be before --to (default today, UTC)")
	}
	return b, nil
}

// The numbers of days in a request: the largest ones, which need the fewest requests.
const (
	openAIPage    = 180
	anthropicPage = 31
)

// reconcile returns the report of the provider, or nil when the bill could not be read.
func (b *bill) reconcile(ctx context.Context) (report, error) {
	switch b.provider {
	case discovery.OpenAI:
		query := discovery.OpenAICostQuery{StartTime: b.from.Unix(), EndTime: b.to.Unix(), Limit: openAIPage}
		if b.byItem {
			query.GroupBy = []discovery.GroupBy{discovery.GroupByLineItem}
		}
		r, err := b.client.ReconcileOpenAICost(ctx, query, b.counted)
		return withLedger(b, r, err)
	case discovery.Anthropic:
		query := discovery.AnthropicCostQuery{Start: b.from, End: b.to, Limit: anthropicPage}
		if b.byItem {
			query.GroupBy = []discovery.GroupBy{discovery.GroupByDescription}
		}
		r, err := b.client.ReconcileAnthropicCost(ctx, query, b.counted)
		return withLedger(b, r, err)
	case discovery.XAI:
		query := discovery.XAICostQuery{StartTime: b.from.Format(time.RFC3339), EndTime: b.to.Format(time.RFC3339)}
		r, err := b.client.ReconcileXAICost(ctx, query, b.counted)
		return withLedger(b, r, err)
	default:
		return nil, usagef("there is no bill of %s; mesh cost accepts openai, anthropic and xai", b.provider)
	}
}

// withLedger adds the ledger of a bill to its report.
func withLedger[B discovery.Bucket](b *bill, r *discovery.ReconciliationReport[B], err error) (report, error) {
	switch {
	case err != nil || r == nil || !r.Complete:
		return nil, err
	case b.ledger != nil:
		return r.WithLedger(b.ledger), nil
	default:
		return r, nil
	}
}
