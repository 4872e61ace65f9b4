package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

// reconciliation is a discovery.ReconciliationReport of any provider.
type reconciliation interface {
	Table(io.Writer) error
	Bill() report.Bill
	Within(percent float64) (ok, known bool)
}

// bills reads the bill of a provider and compares it with a ledger.
var bills = map[models.Provider]func(*job, context.Context, *prices.Ledger) (reconciliation, error){
	models.OpenAI:    (*job).openAI,
	models.Anthropic: (*job).anthropic,
	models.XAI:       (*job).xAI,
}

func (j *job) openAI(ctx context.Context, counted *prices.Ledger) (reconciliation, error) {
	query := discovery.OpenAICostQuery{StartTime: j.from.Unix(), EndTime: j.to.Unix()}
	r, err := j.client.ReconcileOpenAICost(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	return r.WithLedger(counted), nil
}

func (j *job) anthropic(ctx context.Context, counted *prices.Ledger) (reconciliation, error) {
	r, err := j.client.ReconcileAnthropicCost(ctx, discovery.AnthropicCostQuery{Start: j.from, End: j.to}, nil)
	if err != nil {
		return nil, err
	}
	return r.WithLedger(counted), nil
}

func (j *job) xAI(ctx context.Context, counted *prices.Ledger) (reconciliation, error) {
	query := discovery.XAICostQuery{StartTime: j.from.Format(time.DateOnly), EndTime: j.to.Format(time.DateOnly)}
	r, err := j.client.ReconcileXAICost(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	return r.WithLedger(counted), nil
}

// compare prints the report of a provider. It returns an error if the run fails because of it.
func (j *job) compare(ctx context.Context, provider models.Provider, counted *prices.Ledger) error {
	r, err := bills[provider](j, ctx, counted)
	if err != nil {
		return err
	}
	if err := r.Table(j.out); err != nil {
		return err
	}
	bill := r.Bill()
	bill.LimitPercent = j.drift
	switch ok, known := r.Within(j.drift); {
	case !known:
		bill.Verdict, err = report.VerdictUnknown, errors.New("the drift is not known")
	case !ok:
		bill.Verdict, err = report.VerdictOver, fmt.Errorf("the drift is more than %g %%", j.drift)
	default:
		bill.Verdict = report.VerdictWithin
	}
	if len(bill.Rows) > 0 {
		j.billed = append(j.billed, bill)
	}
	return err
}

// writePage writes the page of the window: what the calls cost, and the bills beside them.
func (j *job) writePage() error {
	r, err := report.Read(report.Options{From: j.from, To: j.to, Bills: j.billed}, j.usage)
	if err != nil {
		return err
	}
	file, err := os.Create(j.html)
	if err != nil {
		return err
	}
	return errors.Join(r.WriteHTML(file), file.Close())
}
