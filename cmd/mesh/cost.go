package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/report"
	"github.com/mesh-gateway/mesh-go/internal/costtable"
)

// costFlags are the flags of mesh cost.
type costFlags struct {
	selection
	usage, html, account, bill string
	counted, maxDrift          float64
	limited                    bool // --max-drift is given
}

func newCost(a *app) *cobra.Command {
	var f costFlags
	cmd := &cobra.Command{
		Use:   "cost openai|anthropic|xai|gemini {--from DAY|--last DAYS|--bill FILE}",
		Short: "Compare what a provider billed with what was counted",
		Long: `Cost reads the bill of a provider for whole UTC days, from --from to the day before --to, or of --last. It needs OPENAI_ADMIN_KEY,
ANTHROPIC_ADMIN_KEY, or XAI_MANAGEMENT_KEY and XAI_TEAM_ID; an ordinary API key does not give access to bills.

With --bill it reads the bill from a file, and needs no key: the JSON responses of the APIs of OpenAI (GET /v1/organization/costs),
Anthropic (GET /v1/organizations/cost_report) or xAI (usage in UTC days), all pages one after another; for Gemini an export of Cloud
Billing to BigQuery (gcp_billing_export_v1_...) as JSON lines. Rows of other Google services are ignored and counted, other currencies
are converted with their currency_conversion_rate, and credits are line items. The format of the export is that of Google's
documentation; no real one was at hand. Without --from, --to and --last, the bill is the whole file.

With --counted or --usage it compares the bill with what was counted. The exit status is 1 if they differ by more than --max-drift,
or if the difference is unknown. Unpriced calls make it a range: each is taken to cost at most what the dearest others do, on average of
a day and model. With --usage the last line has the sums, and the days and models that differ most, with the
cause if the bill has tokens: another price or missing calls. Line items that name no model are "other". A line of the calls that
cannot be read is reported, and the exit status is 2. -o json has the days and models, with the cause of each, in "comparison".

A bill has no labels. --label compares it as a whole with the calls that have a label: that is right for a bill to which only these calls
belong, such as the bill of one project or organization.

-o focus writes the bill by line item as rows of the FinOps Open Cost and Usage Specification (FOCUS) 1.2, as CSV. Keep it apart
from those of mesh usage, which are the same money.`,
		Example:   "  mesh cost openai --last 7d --usage calls --html bill.html\n  mesh cost anthropic --from 2026-11-20 --to 2026-11-21 --counted 12.5 --max-drift 2\n  mesh cost gemini --bill export.jsonl --usage calls",
		Args:      args(cobra.ExactArgs(1)),
		ValidArgs: []string{"openai", "anthropic", "xai", "gemini"},
		RunE: func(cmd *cobra.Command, names []string) error {
			var counted *float64
			if cmd.Flags().Changed("counted") {
				counted = &f.counted
			}
			f.limited = cmd.Flags().Changed("max-drift")
			return a.cost(cmd.Context(), names[0], counted, f)
		},
	}
	f.selection.flags(cmd, "first day, such as 2026-11-01, or 7d for seven days ago (required without --last and --bill)",
		"day after the last day (default today, UTC, or the end of --bill)",
		"compare only the calls of --usage with a label, as NAME=VALUE, or without it, as NAME=; repeatable: a call must match all")
	flags := cmd.Flags()
	flags.StringVar(&f.bill, "bill", "", "file with a bill that was saved or exported, or - for stdin")
	flags.Float64Var(&f.counted, "counted", 0, "USD counted in the window")
	flags.StringVar(&f.usage, "usage", "", "file or folder with the calls, as mesh meter --log writes them (mesh usage --help); those of other providers and days do not count")
	flags.Float64Var(&f.maxDrift, "max-drift", 5, "largest difference, in percent of what was counted")
	flags.StringVar(&f.html, "html", "", "file that receives a page: the bill, and with --usage the calls of its days")
	flags.StringVar(&f.account, "account", "", "BillingAccountId of -o focus (default the organization of OpenAI's bill or XAI_TEAM_ID, else \"default\")")
	pricesFlag(a, cmd)
	exclude(cmd, "counted", "usage")
	return cmd
}

// adminKeys are where the keys come from that give access to the bills of a provider.
var adminKeys = map[models.Provider]string{
	models.OpenAI:    ". An ordinary API key does not give access to bills. An owner of the organization makes an admin key on platform.openai.com: Settings, Organization, Admin keys",
	models.Anthropic: ". An ordinary API key does not give access to bills. An admin of the organization makes an admin key in the Claude Console (platform.claude.com): Settings, Admin keys",
	models.XAI:       ". An ordinary API key does not give access to bills. The xAI Console (console.x.ai) has management keys in its settings, and the id of the team",
}

// billQuery returns the bill of the arguments.
func billQuery(provider string, f costFlags) (q costs.BillQuery, err error) {
	p, err := models.ParseProvider(provider)
	switch {
	case err != nil || adminKeys[p] == "" && p != models.Gemini:
		return q, usagef("there is no bill of %q; mesh cost accepts openai, anthropic, xai and gemini", provider)
	case f.bill == "-" && f.usage == "-":
		return q, usagef("--bill and --usage cannot both be stdin")
	case f.bill == "" && p == models.Gemini:
		return q, usagef("Google has no API for bills; export them from Cloud Billing to BigQuery, and pass the rows with --bill FILE")
	case f.bill == "" && f.from == "" && f.last == "":
		return q, usagef("--from or --last is missing; a bill from a file, --bill FILE, needs none")
	}
	q.Provider = p
	switch {
	case f.last != "":
		q.From, q.To, err = lastDays(f.last, time.Now())
	case f.bill != "":
		err = f.savedWindow(&q)
	default:
		err = f.window(&q)
	}
	return q, err
}

// savedWindow reads the days of a bill in a file: all of it by default.
func (f costFlags) savedWindow(q *costs.BillQuery) (err error) {
	if f.from != "" {
		if q.From, err = day("--from", f.from); err != nil {
			return err
		}
	}
	if f.to != "" {
		if q.To, err = day("--to", f.to); err != nil {
			return err
		}
	}
	if f.from != "" && f.to != "" && !q.From.Before(q.To) {
		return usagef("--from must be before --to, which is the day after the last day of the bill")
	}
	return nil
}

// window reads the days of a bill that is requested.
func (f costFlags) window(q *costs.BillQuery) (err error) {
	from, to := f.from, f.to
	if q.From, err = day("--from", from); err != nil {
		return err
	}
	if q.To, err = day("--to", to); err != nil {
		return err
	}
	switch {
	case q.From.Before(q.To):
		return nil
	case to == "":
		return usagef("--from %s: a bill has whole UTC days, the last of which is yesterday, %s", from, q.To.AddDate(0, 0, -1).Format(time.DateOnly))
	default:
		return usagef("--from must be before --to, which is the day after the last day of the bill")
	}
}

func (a *app) cost(ctx context.Context, provider string, counted *float64, f costFlags) error {
	if !(f.maxDrift >= 0) { // NaN too
		return usagef("--max-drift must not be negative")
	}
	if err := f.parse(); err != nil {
		return err
	}
	if err := f.check(a.format, counted); err != nil {
		return err
	}
	q, err := billQuery(provider, f)
	if err != nil {
		return err
	}
	if err := a.checkPage(f.html, f.bill, f.usage); err != nil {
		return err
	}
	c, failures := a.discover()
	q.Counted, q.ByItem = counted, a.format == "focus" || f.usage != "" || f.html != ""
	if f.bill != "" {
		if err := a.readBill(&q, f.bill); err != nil {
			return err
		}
	}
	var unread error
	in := &callsfiles.Files{}
	if f.usage != "" {
		if in, err = callsfiles.Open(a.readingStdin(), []string{f.usage}); err != nil {
			return err
		}
		defer in.Close()
		if unread, err = a.count(in, &q, f.match, failures); err != nil {
			return err
		}
	}
	if f.bill == "" {
		a.progress.Start()
	}
	r, err := q.Reconcile(ctx, c)
	if err != nil {
		return err
	}
	if r == nil {
		if unread != nil {
			a.warn(unread)
		}
		if err := a.writeUnbilled(&q, f, in); err != nil {
			return err
		}
		return noAnswerOf(failures, adminKeys[q.Provider])
	}
	a.warnAll(failures)
	if a.format == "focus" {
		return a.costFocus(q.Provider, r, f.account)
	}
	if err := a.writeCost(&q, r, f, in); err != nil {
		return err
	}
	if counted == nil && q.Ledger == nil {
		return nil
	}
	drift := a.checkDrift(&q, r, f.maxDrift)
	return cmp.Or(unread, drift)
}

// readBill reads the bill of --bill, and sets the window of the query.
func (a *app) readBill(q *costs.BillQuery, name string) error {
	var in io.Reader
	if name == "-" {
		in = a.readingStdin()
	} else {
		file, err := os.Open(name) //nolint:gosec // the user names the file
		if err != nil {
			return usagef("--bill %s: %w", name, withoutPath(err))
		}
		defer file.Close()
		in = a.readingFile("reading the bill", file)
	}
	ignored, err := q.ReadBill(in)
	var value *discovery.ValueError
	switch {
	case errors.As(err, &value):
		return usagef("--from and --to: the bill in %s has no such days", name)
	case err != nil:
		return usagef("--bill %s: %w", name, err)
	case ignored > 0:
		a.progress.Stop()
		fmt.Fprintf(a.errs, "mesh: rows of other services, which are ignored: %d\n", ignored)
	}
	return nil
}

// writeUnbilled writes the page of the calls alone, when the bill could not be read.
func (a *app) writeUnbilled(q *costs.BillQuery, f costFlags, in *callsfiles.Files) error {
	if f.html == "" || f.usage == "" {
		return nil
	}
	list, _, err := a.priceList()
	if err != nil {
		return err
	}
	a.warn(fmt.Errorf("the bill could not be read: %s has the calls alone", f.html))
	return a.writePage(f.html, report.Options{From: q.From, To: q.To, MatchLabels: f.match, Prices: list}, in, []string{f.usage})
}

// writeCost prints a bill beside what was counted, and writes the page of both.
func (a *app) writeCost(q *costs.BillQuery, r costs.Reconciliation, f costFlags, in *callsfiles.Files) error {
	var shown any = r
	if q.Ledger != nil {
		shown = compared{r}
	}
	if err := a.print(shown, r.Table); err != nil {
		return err
	}
	if q.Ledger != nil && a.format == "text" {
		comparison := r.Compare()
		_, known := r.Within(f.maxDrift)
		fmt.Fprintln(a.out, output.Mark(a.out, costs.BillSummary(&comparison, known || comparison.Total.Unpriced > 0)))
	}
	if f.match != nil {
		fmt.Fprintf(a.errs, "mesh: only calls %s were counted; the bill has no labels and is whole\n", output.Line(costtable.Labels(f.match)))
	}
	if f.html == "" {
		return nil
	}
	list, _, err := a.priceList()
	if err != nil {
		return err
	}
	bill := r.Bill()
	if q.Ledger != nil {
		bill.Verdict, bill.LimitPercent = q.Verdict(r, f.maxDrift), f.maxDrift
	}
	var names []string
	if f.usage != "" {
		names = []string{f.usage}
	}
	return a.writePage(f.html, report.Options{From: q.From, To: q.To, MatchLabels: f.match, Prices: list, Bills: []report.Bill{bill}}, in, names)
}

// compared is a report whose JSON has the comparison of its days and models, too.
type compared struct{ costs.Reconciliation }

// MarshalJSON adds the member "comparison" to the object of the report.
func (c compared) MarshalJSON() ([]byte, error) {
	report, err := json.Marshal(c.Reconciliation)
	if err != nil {
		return nil, err
	}
	comparison, err := json.Marshal(c.Compare())
	return slices.Concat(bytes.TrimSuffix(report, []byte("}")), []byte(`,"comparison":`), comparison, []byte("}")), err
}

// checkDrift compares the drift of a report with the limit.
func (a *app) checkDrift(q *costs.BillQuery, r costs.Reconciliation, limit float64) error {
	total := r.Compare().Total
	between, unpriced := q.Range(&total)
	if unpriced {
		fmt.Fprintf(a.errs, "mesh: the drift is %s, if an unpriced call costs at most what the dearest others do\n", between)
	}
	switch verdict := q.Verdict(r, limit); {
	case verdict == report.VerdictWithin:
		return nil
	case verdict == report.VerdictOver:
		fmt.Fprintf(a.errs, "mesh: the drift is more than %s %%\n", output.Decimal(limit))
	case unpriced:
		fmt.Fprintf(a.errs, "mesh: whether that is more than %s %% is not known\n", output.Decimal(limit))
	default:
		fmt.Fprintln(a.errs, "mesh: the drift is not known: nothing was counted, or the cost of a call is not known")
	}
	return errFound
}

// day reads a UTC day of the window; "" is today.
func day(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Now().UTC().Truncate(24 * time.Hour), nil
	}
	t, ok := lookup.Day(text, time.Now())
	if !ok {
		return time.Time{}, usagef("%s %q must be a day such as 2026-11-01, or 7d for seven days ago", flag, text)
	}
	return t, nil
}
