package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// costFlags are the flags of mesh cost.
type costFlags struct {
	from, to, usage, html, account string
	counted, maxDrift              float64
}

func newCost(a *app) *cobra.Command {
	var f costFlags
	cmd := &cobra.Command{
		Use:   "cost openai|anthropic|xai --from DAY",
		Short: "Compare what a provider billed with what was counted",
		Long: `Cost reads the bill of a provider for whole UTC days, from --from to the day before --to. It needs OPENAI_ADMIN_KEY,
ANTHROPIC_ADMIN_KEY, or XAI_MANAGEMENT_KEY and XAI_TEAM_ID; an ordinary API key does not give access to bills.

With --counted or --usage it compares the bill with what was counted. The exit status is 1 if they differ by more than --max-drift,
or if the difference is unknown. With --usage the last line has the sums, and the days and models that differ most; line items
that name no model are "other". A line of the calls that cannot be read is reported, and the exit status is 2.

-o focus writes the bill by line item as rows of the FinOps Open Cost and Usage Specification (FOCUS) 1.2, as CSV. Keep it apart
from those of mesh usage, which are the same money.`,
		Example:   "  mesh cost openai --from 2026-11-20 --usage calls --html bill.html\n  mesh cost anthropic --from 2026-11-20 --to 2026-11-21 --counted 12.5 --max-drift 2",
		Args:      args(cobra.ExactArgs(1)),
		ValidArgs: []string{"openai", "anthropic", "xai"},
		RunE: func(cmd *cobra.Command, names []string) error {
			var counted *float64
			if cmd.Flags().Changed("counted") {
				counted = &f.counted
			}
			return a.cost(cmd.Context(), names[0], counted, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "first day, as in 2026-11-01 (required)")
	flags.StringVar(&f.to, "to", "", "day after the last day (default today, UTC)")
	flags.Float64Var(&f.counted, "counted", 0, "USD counted in the window")
	flags.StringVar(&f.usage, "usage", "", "file or folder with the calls, as mesh meter --log writes them (mesh usage --help); those of other providers and days do not count")
	flags.Float64Var(&f.maxDrift, "max-drift", 5, "largest difference, in percent of what was counted")
	flags.StringVar(&f.html, "html", "", "file that receives a page with the bill, and with --usage what was counted, by day and by model")
	flags.StringVar(&f.account, "account", "", "BillingAccountId of -o focus (default the organization of OpenAI's bill or XAI_TEAM_ID, else \"default\")")
	exclude(cmd, "counted", "usage")
	if err := cmd.MarkFlagRequired("from"); err != nil {
		panic(err) // the flag does not exist: a mistake in the program
	}
	return cmd
}

func (a *app) cost(ctx context.Context, provider string, counted *float64, f costFlags) error {
	if !(f.maxDrift >= 0) { // NaN too
		return usagef("--max-drift must not be negative")
	}
	if err := f.check(a.format, counted); err != nil {
		return err
	}
	b, err := newBill(provider, f.from, f.to)
	if err != nil {
		return err
	}
	c, failures := a.discover()
	b.client, b.counted, b.byItem = c, counted, a.format == "focus" || f.usage != "" || f.html != ""
	if f.usage != "" {
		b.ledger = prices.NewLedger()
		if err := a.count(f.usage, b, failures); err != nil {
			return err
		}
	}
	r, err := b.reconcile(ctx)
	if err != nil {
		return err
	}
	if r == nil {
		return noAnswerOf(failures, adminKeys[b.provider])
	}
	a.warnAll(failures)
	if a.format == "focus" {
		return a.costFocus(b, r, f.account)
	}
	if err := a.writeCost(b, r, f); err != nil {
		return err
	}
	if counted == nil && b.ledger == nil {
		return nil
	}
	drift := a.checkDrift(r, f.maxDrift)
	return cmp.Or(b.unread, drift)
}

// writeCost prints a bill beside what was counted, and writes the files of the flags.
func (a *app) writeCost(b *bill, r report, f costFlags) error {
	if err := a.print(r, r.Table); err != nil {
		return err
	}
	compared := b.compare(r)
	if b.ledger != nil && a.format == "text" {
		fmt.Fprintln(a.out, compared.Summary())
	}
	if f.html != "" {
		return writeFile("--html", f.html, compared.Page().Write)
	}
	return nil
}

// checkDrift compares the drift of a report with the limit.
func (a *app) checkDrift(r report, limit float64) error {
	switch ok, known := r.Within(limit); {
	case !known:
		fmt.Fprintln(a.errs, "mesh: the drift is not known: nothing was counted, or the cost of a call is not known")
		return errFound
	case !ok:
		fmt.Fprintf(a.errs, "mesh: the drift is more than %s %%\n", output.Decimal(limit))
		return errFound
	}
	return nil
}

// day reads a UTC day of the window; "" is today.
func day(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Now().UTC().Truncate(24 * time.Hour), nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, usagef("%s %q must be a day such as 2026-11-01", flag, text)
	}
	return t, nil
}

// writeFile writes the file of a flag.
func writeFile(flag, name string, write func(io.Writer) error) error {
	file, err := os.Create(name) //nolint:gosec // the user names the file
	if err != nil {
		return usagef("%s %s: %w", flag, name, withoutPath(err))
	}
	if err := write(file); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
