package costs

import (
	"context"
	"io"
	"math/big"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/discovery/report"
	"github.com/mesh-gateway/mesh-go/internal/costtable"
)

// BillQuery is a bill of whole UTC days to compare with what was counted: a sum, a ledger, or nothing.
type BillQuery struct {
	// Provider is OpenAI, Anthropic or xAI, or Gemini for a bill of a file.
	Provider models.Provider
	// From is the first day, and To the day after the last.
	From, To time.Time
	Counted  *float64
	Ledger   *prices.Ledger
	// ByItem requests the line items, which xAI always sends.
	ByItem bool
	saved  func() (Reconciliation, error) // nil for a bill that is requested
	// unpriced is the number of calls whose cost is not known, and dearest the highest cost of a call among the means by day and model.
	unpriced int64
	dearest  *big.Rat
}

// ReadBill reads the bill from a file. It sets From and To to the first day and the end of the file, unless they are given, and returns
// the number of rows that are no part of the bill.
func (q *BillQuery) ReadBill(in io.Reader) (ignored int, err error) {
	query := discovery.SavedBill{From: q.From, To: q.To, AttributedUSD: q.Counted}
	switch q.Provider {
	case models.OpenAI:
		r, err := discovery.ReadOpenAIBill(in, query)
		return 0, keep(q, r, err)
	case models.Anthropic:
		r, err := discovery.ReadAnthropicBill(in, query)
		return 0, keep(q, r, err)
	case models.Gemini:
		r, ignored, err := discovery.ReadGeminiBill(in, query)
		return ignored, keep(q, r, err)
	default: // xAI
		r, err := discovery.ReadXAIBill(in, query)
		return 0, keep(q, r, err)
	}
}

// keep keeps the report of a bill in a file.
func keep[B discovery.Bucket](q *BillQuery, r *discovery.ReconciliationReport[B], err error) error {
	if err == nil {
		q.From, q.To = time.Unix(r.WindowStart, 0).UTC(), time.Unix(*r.WindowEnd, 0).UTC()
		q.saved = func() (Reconciliation, error) { return withLedger(q, r, nil) }
	}
	return err
}

// Reconciliation is what the reports of all providers have in common.
type Reconciliation interface {
	Table(out io.Writer) error
	Within(percent float64) (ok, known bool)
	Compare() discovery.BillComparison
	Bill() report.Bill
}

// Count adds to the ledger the calls of the provider among rows, which are by day, provider, model, the reason of an unknown cost, and
// platform. Calls on a platform are on its bill. It returns the reasons.
func (q *BillQuery) Count(rows []calls.Group) (reasons []string) {
	q.Ledger = prices.NewLedger()
	for _, row := range rows {
		if row.By[1] != string(q.Provider) || row.By[4] != "" {
			continue
		}
		if reason := row.By[3]; reason != "" {
			reasons = append(reasons, reason)
		}
		addRow(q.Ledger, row)
		q.addUnpriced(row)
	}
	return reasons
}

func (q *BillQuery) addUnpriced(row calls.Group) {
	q.unpriced += int64(row.Unpriced)
	usd, ok := new(big.Rat).SetString(row.USD)
	if priced := row.Calls - row.Unpriced; ok && priced > 0 {
		if mean := usd.Quo(usd, big.NewRat(int64(priced), 1)); q.dearest == nil || mean.Cmp(q.dearest) > 0 {
			q.dearest = mean
		}
	}
}

// Range is where a drift lies, in US dollars and in percent of what was counted.
type Range struct{ Low, High, LowPercent, HighPercent *big.Rat }

// Range returns where the drift of a bill lies if some calls are unpriced: each of them costs at least nothing, and is taken to cost at most what
// a call costs on the dearest day of the dearest model. It reports false without such calls, and if nothing is known.
func (q *BillQuery) Range(total *discovery.BillPart) (r Range, ok bool) {
	if q.unpriced == 0 || q.dearest == nil || total.DriftUSD == "" {
		return r, false
	}
	counted := costtable.Exact(total.CountedUSD)
	if counted.Sign() <= 0 {
		return r, false
	}
	most := new(big.Rat).Mul(q.dearest, big.NewRat(q.unpriced, 1))
	r.High = costtable.Exact(total.DriftUSD)
	r.Low = new(big.Rat).Sub(r.High, most)
	percentOf := func(usd, all *big.Rat) *big.Rat {
		return new(big.Rat).Quo(new(big.Rat).Mul(usd, big.NewRat(100, 1)), all)
	}
	r.HighPercent = percentOf(r.High, counted)
	r.LowPercent = percentOf(r.Low, new(big.Rat).Add(counted, most))
	return r, true
}

// String returns the range in US dollars.
func (r Range) String() string { return "between " + signed(r.Low) + " and " + signed(r.High) + " USD" }

// Within reports whether all of the range is within a limit in percent, and whether that is the same for all of it.
func (r Range) Within(percent float64) (ok, known bool) {
	limit := new(big.Rat).SetFloat64(percent)
	if limit == nil {
		return false, false
	}
	least := new(big.Rat).Neg(limit)
	switch {
	case r.LowPercent.Cmp(least) >= 0 && r.HighPercent.Cmp(limit) <= 0:
		return true, true
	case r.LowPercent.Cmp(limit) > 0 || r.HighPercent.Cmp(least) < 0:
		return false, true
	}
	return false, false
}

// Verdict returns whether a bill and what was counted differ by at most a limit in percent of what was counted.
func (q *BillQuery) Verdict(r Reconciliation, percent float64) report.Verdict {
	ok, known := r.Within(percent)
	total := r.Compare().Total
	if between, unpriced := q.Range(&total); unpriced {
		ok, known = between.Within(percent)
	}
	switch {
	case !known:
		return report.VerdictUnknown
	case !ok:
		return report.VerdictOver
	}
	return report.VerdictWithin
}

// addRow adds the calls of a day and model to a ledger.
func addRow(ledger *prices.Ledger, row calls.Group) {
	at, _ := time.Parse(time.DateOnly, row.By[0])
	cost := prices.Cost{Provider: models.Provider(row.By[1]), Model: row.By[2]}
	for range row.Unpriced {
		ledger.Add(at, &cost)
	}
	if row.Calls > row.Unpriced {
		cost.USD = minus(row.USD, row.Subscription)     // no bill has it
		if tokens := tokensOf(&row.Usage); tokens > 0 { // without counts they are not known
			cost.Lines = []prices.Line{{What: "tokens", Tokens: tokens, USD: row.USD}}
		}
		ledger.Add(at, &cost)
	}
}

// tokensOf returns the number of all tokens.
func tokensOf(u *prices.Usage) (n int64) {
	for _, kind := range kinds {
		n = count(n, *kind.of(u))
	}
	return n
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
		return withLedger(q, r, err)
	case models.Anthropic:
		query := discovery.AnthropicCostQuery{Start: q.From, End: q.To, Limit: anthropicPage}
		if q.ByItem {
			query.GroupBy = []discovery.GroupBy{discovery.GroupByDescription}
		}
		r, err := c.ReconcileAnthropicCost(ctx, query, q.Counted)
		return withLedger(q, r, err)
	default: // xAI
		query := discovery.XAICostQuery{StartTime: q.From.Format(time.RFC3339), EndTime: q.To.Format(time.RFC3339)}
		r, err := c.ReconcileXAICost(ctx, query, q.Counted)
		return withLedger(q, r, err)
	}
}

// withLedger adds the ledger of a bill to its report.
func withLedger[B discovery.Bucket](q *BillQuery, r *discovery.ReconciliationReport[B], err error) (Reconciliation, error) {
	switch {
	case err != nil || r == nil || !r.Complete:
		return nil, err
	case q.Ledger != nil:
		return r.WithLedger(q.Ledger), nil
	default:
		return r, nil
	}
}
