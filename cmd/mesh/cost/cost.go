// Package cost is mesh cost: the bill of a provider beside what was counted.
package cost

import (
	"cmp"
	"context"
	"math"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/page"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/selection"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Options are the flags of mesh cost.
type Options struct {
	selection.Flags
	usage, html, account, bill string
	counted, maxDrift          float64
	limited                    bool // --max-drift is given
}

// New returns the command mesh cost.
func New(a *app.App) *cobra.Command {
	var f Options
	cmd := &cobra.Command{
		Use:   "cost openai|anthropic|xai|gemini {--from DAY|--last DAYS|--bill FILE}",
		Short: "Compare what a provider billed with what was counted",
		Long: `Cost reads the bill of a provider for whole UTC days, from --from to the day before --to, or of --last. It needs OPENAI_ADMIN_KEY,
ANTHROPIC_ADMIN_KEY, or XAI_MANAGEMENT_KEY and XAI_TEAM_ID; an ordinary API key does not give access to bills.

With --bill it reads the bill from a file, and needs no key: the JSON responses of the APIs of OpenAI (GET /v1/organization/costs),
Anthropic (GET /v1/organizations/cost_report, and beside it usage_report/messages) or xAI (usage in UTC days), all pages one after another;
for Gemini an export of Cloud Billing to BigQuery (gcp_billing_export_v1_...) as JSON lines. Rows of other Google services are ignored and counted, other currencies
are converted with their currency_conversion_rate, and credits are line items. The format of the export is that of Google's
documentation; no real one was at hand. Without --from, --to and --last, the bill is the whole file.

With --counted or --usage it compares the bill with what was counted, and first prints whether they differ by more than --max-drift, in
percent of the bill. The exit status is 1 if they do, or if that is not known. Unpriced calls make the difference a range: each is taken
to cost at most what the dearest others do, on average of a day and model. With --usage it has effects, which are amounts by cause and add
up to it: calls that were not counted, a model without any, calls that are not on the bill, the border of a day, another price, fees.
A cause that the bill does not show is not guessed; a bill with quantities by line item shows most. A line of the calls that cannot be
read is reported, and the exit status is 2. -o json has the effects of the days and models in "comparison".

A bill has no labels. --label compares it as a whole with the calls that have a label: that is right for a bill to which only these calls
belong, such as the bill of one project or organization.

-o focus writes the bill by line item as rows of the FinOps Open Cost and Usage Specification (FOCUS) 1.2, as CSV. Keep it apart
from those of mesh usage, which are the same money.`,
		Example:   "  mesh cost openai --last 7d --usage calls --html bill.html\n  mesh cost anthropic --last 1d --counted 12.5 --max-drift 2\n  mesh cost gemini --bill export.jsonl --usage calls",
		Args:      app.Args(cobra.ExactArgs(1)),
		ValidArgs: []string{"openai", "anthropic", "xai", "gemini"},
		RunE: func(cmd *cobra.Command, names []string) error {
			var counted *float64
			if cmd.Flags().Changed("counted") {
				counted = &f.counted
			}
			f.limited = cmd.Flags().Changed("max-drift")
			return run(a, cmd.Context(), names[0], counted, f)
		},
	}
	f.Flags.Add(cmd, "first day, such as 2026-11-01, or 7d for seven days ago (required without --last and --bill)",
		"day after the last day (default today, UTC, or the end of --bill)",
		"compare only the calls of --usage with a label, as NAME=VALUE, or without it, as NAME=; repeatable: a call must match all")
	flags := cmd.Flags()
	flags.StringVar(&f.bill, "bill", "", "file with a bill that was saved or exported, or - for stdin")
	flags.Float64Var(&f.counted, "counted", 0, "USD counted in the window")
	flags.StringVar(&f.usage, "usage", "", "file or folder with the calls, as mesh meter --log writes them (mesh usage --help); those of other providers and days do not count")
	flags.Float64Var(&f.maxDrift, "max-drift", bills.DefaultLimitPercent, "largest difference, in percent of the bill")
	flags.StringVar(&f.html, "html", "", "file that receives a page: the bill, and with --usage the calls of its days")
	flags.StringVar(&f.account, "account", "", "BillingAccountId of -o focus (default the organization of OpenAI's bill or XAI_TEAM_ID, else \"default\")")
	app.PricesFlag(a, cmd)
	app.Exclude(cmd, "counted", "usage")
	return cmd
}

// adminKeys are where the keys come from that give access to the bills of a provider.
var adminKeys = map[models.Provider]string{
	models.OpenAI:    ". An ordinary API key does not give access to bills. An owner of the organization makes an admin key on platform.openai.com: Settings, Organization, Admin keys",
	models.Anthropic: ". An ordinary API key does not give access to bills. An admin of the organization makes an admin key in the Claude Console (platform.claude.com): Settings, Admin keys",
	models.XAI:       ". An ordinary API key does not give access to bills. The xAI Console (console.x.ai) has management keys in its settings, and the id of the team",
}

func run(a *app.App, ctx context.Context, provider string, counted *float64, f Options) error {
	q, err := costQuery(a, provider, counted, &f)
	if err != nil {
		return err
	}
	if f.bill != "" {
		if err := readBill(a, &q, f.bill); err != nil {
			return err
		}
	}
	c, failures := a.Discover()
	var unread error
	in := &callsfiles.Files{}
	if f.usage != "" {
		if in, err = callsfiles.Open(a.ReadingStdin(), []string{f.usage}); err != nil {
			return err
		}
		defer in.Close()
		if unread, err = countCalls(a, in, &q, f.Match, failures); err != nil {
			return err
		}
	}
	if f.bill == "" {
		a.Progress.Start()
	}
	r, err := q.Reconcile(ctx, c)
	if err != nil {
		return err
	}
	if r == nil {
		if unread != nil {
			a.Warn(unread)
		}
		if err := writeUnbilled(a, &q, f, in); err != nil {
			return err
		}
		return app.NoAnswerOf(failures, adminKeys[q.Provider])
	}
	a.WarnAll(failures)
	if a.Format == "focus" {
		return costFocus(a, q.Provider, r, f.account)
	}
	comparison, err := r.Compare(cmp.Or(f.maxDrift, math.SmallestNonzeroFloat64)) // 0 is the default of a bill
	if err != nil {
		return err
	}
	if err := writeCost(a, &q, r, comparison, f, in); err != nil {
		return err
	}
	if counted == nil && q.Calls == nil {
		return nil
	}
	return cmp.Or(unread, checkDrift(a, comparison))
}

// costQuery checks the arguments, parses the flags of the selection, and returns the bill that they name.
func costQuery(a *app.App, provider string, counted *float64, f *Options) (q costs.BillQuery, err error) {
	if !(f.maxDrift >= 0) || math.IsInf(f.maxDrift, 0) { // NaN too
		return q, exit.Usagef("--max-drift must not be negative")
	}
	if err := f.Parse(); err != nil {
		return q, err
	}
	if err := f.check(a.Format, counted); err != nil {
		return q, err
	}
	if q, err = billQuery(provider, *f); err != nil {
		return q, err
	}
	q.Counted, q.ByItem = counted, a.Format == "focus" || f.usage != "" || f.html != ""
	return q, page.Check(a, f.html, f.bill, f.usage)
}
