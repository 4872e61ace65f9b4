package main

import (
	"context"
	"io"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// bill is a bill to compare with what was counted: a sum, a ledger, or nothing.
type bill struct {
	client   *discovery.Client
	provider models.Provider
	from, to time.Time
	counted  *float64
	ledger   *prices.Ledger
	// rows are the calls of the ledger by day, provider, model and the reason of an unknown cost.
	rows []calls.Group
	// unread is the error of the lines that are not in rows.
	unread error
	// byItem requests the line items, which xAI always sends.
	byItem bool
}

// report is what the reports of all providers have in common.
type report interface {
	Table(out io.Writer) error
	Within(percent float64) (ok, known bool)
}

func newBill(provider, from, to string) (*bill, error) {
	p, err := models.ParseProvider(provider)
	if adminKeys[p] == "" || err != nil {
		return nil, usagef("there is no bill of %q; mesh cost accepts openai, anthropic and xai", provider)
	}
	b := &bill{provider: p}
	if b.from, err = day("--from", from); err != nil {
		return nil, err
	}
	if b.to, err = day("--to", to); err != nil {
		return nil, err
	}
	switch {
	case b.from.Before(b.to):
		return b, nil
	case to == "":
		return nil, usagef("--from %s: a bill has whole UTC days, the last of which is yesterday, %s", from, b.to.AddDate(0, 0, -1).Format(time.DateOnly))
	default:
		return nil, usagef("--from must be before --to, which is the day after the last day of the bill")
	}
}

// adminKeys are where the keys come from that give access to the bills of a provider.
var adminKeys = map[models.Provider]string{
	models.OpenAI:    ". An ordinary API key does not give access to bills. An owner of the organization makes an admin key on platform.openai.com: Settings, Organization, Admin keys",
	models.Anthropic: ". An ordinary API key does not give access to bills. An admin of the organization makes an admin key in the Claude Console (platform.claude.com): Settings, Admin keys",
	models.XAI:       ". An ordinary API key does not give access to bills. The xAI Console (console.x.ai) has management keys in its settings, and the id of the team",
}

// The numbers of days in a request: the largest ones, which need the fewest requests.
const (
	openAIPage    = 180
	anthropicPage = 31
)

// reconcile returns the report of the provider, or nil when the bill could not be read.
func (b *bill) reconcile(ctx context.Context) (report, error) {
	switch b.provider {
	case models.OpenAI:
		query := discovery.OpenAICostQuery{StartTime: b.from.Unix(), EndTime: b.to.Unix(), Limit: openAIPage}
		if b.byItem {
			query.GroupBy = []discovery.GroupBy{discovery.GroupByLineItem}
		}
		r, err := b.client.ReconcileOpenAICost(ctx, query, b.counted)
		return withLedger(b, r, err)
	case models.Anthropic:
		query := discovery.AnthropicCostQuery{Start: b.from, End: b.to, Limit: anthropicPage}
		if b.byItem {
			query.GroupBy = []discovery.GroupBy{discovery.GroupByDescription}
		}
		r, err := b.client.ReconcileAnthropicCost(ctx, query, b.counted)
		return withLedger(b, r, err)
	default: // xAI
		query := discovery.XAICostQuery{StartTime: b.from.Format(time.RFC3339), EndTime: b.to.Format(time.RFC3339)}
		r, err := b.client.ReconcileXAICost(ctx, query, b.counted)
		return withLedger(b, r, err)
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
