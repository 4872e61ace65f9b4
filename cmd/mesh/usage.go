package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pages"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

// usageFlags are the flags of mesh usage.
type usageFlags struct {
	by                      []string
	from, to, html, account string
	reprice, byGiven        bool
	budgets                 []string
}

func newUsage(a *app) *cobra.Command {
	var f usageFlags
	cmd := &cobra.Command{
		Use:   "usage FILE|DIR|-...",
		Short: "Add up the calls of files that mesh meter wrote, or of files of usage objects",
		Long: `Usage adds up calls: their number, tokens and cost. It reads files, folders with files that end in .jsonl or .jsonl.gz, and
stdin for -. A line is a call, as mesh meter --log writes it, or with as little as

  {"provider":"openai","model":"gpt-5.2","time":"2026-11-21T07:54:15Z","usage":{...}}

where usage is the usage object of the provider's response, unchanged. The provider is optional if the name of the model
determines it.

The recorded cost (usd) counts; a line without one is priced. --reprice prices all calls with today's price list. Calls
without a known cost are unpriced: they are counted, with the reasons, and are in no sum.

--budget shows what is left of a budget of mesh meter in the present day or month, in UTC. Known costs count.

-o focus writes rows of the FinOps Open Cost and Usage Specification (FOCUS) 1.2 instead, as CSV. Unpriced calls have
no row; they are counted on stderr, and the exit status is 1.

A line that cannot be read is reported, and the sums are those of the others; the exit status is then 2.`,
		Example: "  mesh usage calls --by day,model\n  mesh usage calls --html page.html\n  mesh usage calls --budget 100/month\n  mesh usage calls --by label:team -o csv > teams.csv\n  gunzip -c calls.jsonl.gz | mesh usage - -o json",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, paths []string) error {
			f.byGiven = cmd.Flags().Changed("by")
			return a.usage(paths, f)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.by, "by", []string{"provider", "model"}, "what to add up by: day, provider, platform, model, label:NAME, unpriced (the reason); several with commas")
	flags.StringVar(&f.from, "from", "", "day or RFC 3339 time of the first call")
	flags.StringVar(&f.to, "to", "", "day or RFC 3339 time after the last call")
	flags.BoolVar(&f.reprice, "reprice", false, "compute all costs with today's price list, instead of those that were recorded")
	flags.StringVar(&f.html, "html", "", "file that receives a page: what calls cost and why that changed, the month, and what to do; without --from and --to, of the last 28 full days")
	flags.StringVar(&f.account, "account", "", "BillingAccountId of -o focus (default \"default\")")
	flags.StringArrayVar(&f.budgets, "budget", nil, "show what is left of a budget, such as 5/day, 100/month or 2/day/label:user for the value that spent most; 5 is for all calls that are read; repeatable")
	pricesFlag(a, cmd)
	return cmd
}

func (a *app) usage(paths []string, f usageFlags) error {
	opts, err := f.options(a.format)
	if err != nil {
		return err
	}
	list, _, err := a.priceList()
	if err != nil {
		return err
	}
	in, err := callsfiles.Open(a.in, paths)
	if err != nil {
		return err
	}
	defer in.Close()
	a.progress.Start()
	opts.Prices = list
	if a.format == "focus" {
		return a.usageFocus(list, opts, f.account, in)
	}
	sums, err := pages.Read(f.by, opts, in.Paths...)
	unread := wrongUse(in.Rename(err))
	if unread != nil {
		if sums.Calls == 0 {
			return unread
		}
		sums.Errors = strings.Split(output.Error(unread), "\n")
	}
	if sums.Budgets, err = f.readBudgets(list, in); err != nil {
		return err
	}
	if err := a.printUsage(sums); err != nil {
		return err
	}
	if f.html != "" {
		o := report.Options{From: opts.From, To: opts.To, Reprice: opts.Reprice, Prices: list, Budgets: f.budgets}
		if err := writePage(f.html, o, in, paths, sums.Errors); err != nil {
			return err
		}
	}
	return unread
}

// readBudgets returns what is left of the budgets in their present periods, whatever --from and --to are.
func (f usageFlags) readBudgets(list *prices.List, in *callsfiles.Files) ([]report.Budget, error) {
	if len(f.budgets) == 0 {
		return nil, nil
	}
	r, err := report.Read(report.Options{Reprice: f.reprice, Prices: list, Budgets: f.budgets}, in.Paths...)
	if err != nil {
		return nil, err
	}
	return r.Budgets, nil
}

// options returns the options of the flags.
func (f usageFlags) options(format string) (opts calls.SumOptions, err error) {
	if err := f.check(format); err != nil {
		return opts, err
	}
	opts = calls.SumOptions{Reprice: f.reprice}
	if opts.From, err = lookup.Time(f.from); err != nil {
		return opts, usagef("--from: %w", err)
	}
	if opts.To, err = lookup.Time(f.to); err != nil {
		return opts, usagef("--to: %w", err)
	}
	if !opts.From.IsZero() && !opts.To.IsZero() && !opts.From.Before(opts.To) {
		return opts, usagef("--from must be before --to")
	}
	return opts, nil
}

func (a *app) printUsage(report *pages.Report) error {
	if report.Calls == 0 {
		a.warn(errors.New("there are no calls (of a folder, files that end in .jsonl or .jsonl.gz are read; --from and --to select by time)"))
	}
	for i, by := range report.By {
		label, labelled := strings.CutPrefix(by, "label:")
		if labelled && report.Calls > 0 && !slices.ContainsFunc(report.Rows, func(row calls.Group) bool { return row.By[i] != "" }) {
			a.warn(fmt.Errorf("--by: no call has the label %q", label))
		}
	}
	if a.format == "csv" {
		a.progress.Stop()
		return report.CSV(a.out)
	}
	return a.print(report, report.Table)
}

// count adds the calls of a provider to the ledger of its bill. The files may have calls of other providers, too, and lines that cannot
// be read, whose error is unread.
func (a *app) count(in *callsfiles.Files, q *pages.BillQuery, failures *failureList) (unread, err error) {
	list, _, err := a.priceList()
	if err != nil {
		return nil, err
	}
	rows, err := calls.Sum(calls.SumOptions{
		From: q.From, To: q.To, By: [][]string{{"day", "provider", "model", "unpriced"}}, Prices: list,
	}, in.Paths...)
	unread = wrongUse(in.Rename(err))
	if unread != nil && len(rows[0]) == 0 {
		return nil, usagef("--usage: %w", unread)
	}
	for _, reason := range q.Count(rows[0]) {
		failures.add(errors.New("the cost is not known: " + pages.Cause(reason)))
	}
	return unread, nil
}
