package costs

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// BillQuery is a bill of whole UTC days to compare with what was counted: a sum, calls, or nothing.
type BillQuery struct {
	// Provider is OpenAI, Anthropic or xAI, or Gemini for a bill of a file.
	Provider models.Provider
	// From is the first day, and To the day after the last.
	From, To time.Time
	Counted  *float64
	// Calls are by CallsBy; nil without --usage.
	Calls []calls.Group
	// ByItem requests the line items, which xAI always sends.
	ByItem bool
	// IgnoredRows is the number of rows in a file that are no part of the bill.
	IgnoredRows int
	saved       func() (Reconciliation, error) // nil for a bill that is requested
}

// ReadBill reads the bill from a file. It sets From and To to the first day and the end of the file, unless they are given, and
// IgnoredRows.
func (q *BillQuery) ReadBill(in io.Reader) error {
	query := discovery.SavedBill{From: q.From, To: q.To, AttributedUSD: q.Counted}
	switch q.Provider {
	case models.OpenAI:
		r, err := discovery.ReadOpenAIBill(in, query)
		return keep(q, r, err)
	case models.Anthropic:
		r, err := discovery.ReadAnthropicBill(in, query)
		return keep(q, r, err)
	case models.Gemini:
		r, err := discovery.ReadGeminiBill(in, query)
		return keep(q, r, err)
	default: // xAI
		r, err := discovery.ReadXAIBill(in, query)
		return keep(q, r, err)
	}
}

// keep keeps the report of a bill in a file.
func keep[B discovery.Bucket](q *BillQuery, r *discovery.ReconciliationReport[B], err error) error {
	if err == nil {
		q.IgnoredRows = r.IgnoredRows
		q.From, q.To = time.Unix(r.WindowStart, 0).UTC(), time.Unix(*r.WindowEnd, 0).UTC()
		q.saved = func() (Reconciliation, error) { return withCalls(q, r, nil) }
	}
	return err
}

// Reconciliation is what the reports of all providers have in common.
type Reconciliation interface {
	Table(out io.Writer) error
	Compare(limitPercent float64) (*bills.Comparison, error)
}

// CallsBy are the groupings of the calls beside a bill.
var CallsBy = [][]string{{"day", "model", "provider", "platform", "billing", "unpriced"}}

// Count sets the calls, by CallsBy, and returns why the cost of calls on the bill is not known.
func (q *BillQuery) Count(rows []calls.Group) (reasons []string) {
	q.Calls = append([]calls.Group{}, rows...)
	for _, row := range rows {
		if reason := row.By[5]; row.By[2] == string(q.Provider) && row.By[3] == "" && reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// The numbers of days in a request: the largest ones, which need the fewest requests.
const (
	openAIPage    = 180
	anthropicPage = 31
)

// Reconcile returns the report of the provider, or nil when the bill could not be read.
func (q *BillQuery) Reconcile(ctx context.Context, c *discovery.Client) (Reconciliation, error) {
	if q.saved != nil {
		return q.saved()
	}
	switch q.Provider {
	case models.OpenAI:
		query := discovery.OpenAICostQuery{StartTime: q.From.Unix(), EndTime: q.To.Unix(), Limit: openAIPage}
		if q.ByItem {
			query.GroupBy = []discovery.GroupBy{discovery.GroupByLineItem}
		}
		r, err := c.ReconcileOpenAICost(ctx, query, q.Counted)
		return withCalls(q, r, err)
	case models.Anthropic:
		query := discovery.AnthropicCostQuery{Start: q.From, End: q.To, Limit: anthropicPage}
		if q.ByItem {
			query.GroupBy = []discovery.GroupBy{discovery.GroupByDescription}
			query.Quantities = q.Calls != nil
		}
		r, err := c.ReconcileAnthropicCost(ctx, query, q.Counted)
		return withCalls(q, r, err)
	default: // xAI
		query := discovery.XAICostQuery{StartTime: q.From.Format(time.RFC3339), EndTime: q.To.Format(time.RFC3339)}
		r, err := c.ReconcileXAICost(ctx, query, q.Counted)
		return withCalls(q, r, err)
	}
}

// withCalls adds the calls of a bill to its report.
func withCalls[B discovery.Bucket](q *BillQuery, r *discovery.ReconciliationReport[B], err error) (Reconciliation, error) {
	switch {
	case err != nil || r == nil || !r.Complete:
		return nil, err
	case q.Calls != nil:
		return r.WithCalls(q.Calls), nil
	default:
		return r, nil
	}
}
