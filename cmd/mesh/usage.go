package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/discovery"
)

func newUsage(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "usage FILE|-",
		Short: "Price the calls of a file of usage objects",
		Long: `Usage prices the calls of a file with one JSON object in each line:

  {"provider":"openai","model":"gpt-5.2","time":"2026-11-21T07:54:15Z","usage":{...}}

usage is the usage object of the provider's answer, unchanged. provider may be missing if the name of the model determines it,
and mode ("batch", "flex", ...) is optional. The total lacks the calls whose cost is not known; their number is printed.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, files []string) error { return a.usage(cmd.Context(), files[0]) },
	}
}

// usageReport is the JSON of mesh usage.
type usageReport struct {
	Calls    []pricedCall          `json:"calls"`
	Days     []discovery.LedgerDay `json:"days"`
	TotalUSD float64               `json:"total_usd"`
	Unpriced int                   `json:"unpriced"`
}

func (a *app) usage(ctx context.Context, file string) error {
	c, failures := a.discover()
	calls, ledger := []pricedCall{}, discovery.NewLedger()
	err := a.priceCalls(ctx, c, file, func(call pricedCall) {
		calls = append(calls, call)
		ledger.Add(call.Time, call.Cost)
	})
	if err != nil {
		return err
	}
	a.warn(failures)
	var always time.Time
	report := usageReport{calls, ledger.Days(), ledger.Total(always, always), ledger.Unpriced(always, always)}
	return a.print(report, func(w io.Writer) error { return usageTable(w, report) })
}

func usageTable(w io.Writer, report usageReport) error {
	rows := make([][]string, len(report.Calls))
	for i, call := range report.Calls {
		cost := unknown
		if call.Cost != nil {
			cost = call.Cost.Exact
		}
		rows[i] = []string{call.Time.UTC().Format(time.RFC3339), string(call.Provider), call.Model, cost}
	}
	if err := table(w, []string{"TIME", "PROVIDER", "MODEL", "USD"}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d calls cost %s USD; the cost of %d more is not known\n",
		len(report.Calls)-report.Unpriced, decimal(report.TotalUSD), report.Unpriced)
	return err
}
