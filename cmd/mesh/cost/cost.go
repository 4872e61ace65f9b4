// Package cost is mesh cost, which compares a provider's bill with counted calls.
package cost

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/page"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/selection"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Options holds the flags of mesh cost.
type Options struct {
	*app.App
	selection.Flags
	usage, html, account, saved string // saved is --bill
	counted                     *float64
	maxDrift                    float64
	limited                     bool // --max-drift is given
	all                         bool

	// OpenAI, Anthropic or xAI; also Gemini with --bill
	provider models.Provider
	// from is the first day, to the day after the last. Both are zero for a whole --bill.
	from, to time.Time
}

// New returns the command mesh cost.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	var counted float64
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
percent of the bill. The table has the days that differ, or with --all every day. The exit status is 1 if they do, or if that is not known. Unpriced calls make the difference a range: at most,
each costs as much as a call of the dearest model on its dearest day, on average. With --usage the difference has effects, which are amounts
by cause and add up to it: calls that were not counted, a model without any, calls that are not on the bill, the border of a day, another price, fees.
A cause that the bill does not show is not guessed; a bill with quantities by line item shows most. A line of the calls that cannot be
read is reported, and the exit status is 2. -o json has the effects of the days and models in "comparison".

A bill has no labels. --label compares it as a whole with the calls that have a label: that is right for a bill to which only these calls
belong, such as the bill of one project or organization.

-o csv has a row for each day.

-o focus writes the bill by line item as rows of the FinOps Open Cost and Usage Specification (FOCUS) 1.2, as CSV. Do not
add it to the rows of mesh usage: both have the costs of the same calls.`,
		Example:   "  mesh cost openai --last 7d --usage calls --html bill.html\n  mesh cost anthropic --last 1d --counted 12.5 --max-drift 2\n  mesh cost gemini --bill export.jsonl --usage calls",
		Args:      cobra.ExactArgs(1),
		ValidArgs: []string{"openai", "anthropic", "xai", "gemini"},
		RunE: func(cmd *cobra.Command, names []string) error {
			o.provider, o.limited = models.Provider(names[0]), cmd.Flags().Changed("max-drift")
			if cmd.Flags().Changed("counted") {
				o.counted = &counted
			}
			return run(cmd.Context(), o)
		},
	}
	o.Flags.Add(cmd, "first day, such as 2026-11-01, or 7d for seven days ago (required without --last and --bill)",
		"day after the last day (default today, UTC, or the end of --bill)",
		"compare only the calls of --usage with a label, as NAME=VALUE, or without it, as NAME=; repeatable: a call must match all")
	flags := cmd.Flags()
	flags.StringVar(&o.saved, "bill", "", "file with a bill that was saved or exported, or - for stdin")
	flags.Float64Var(&counted, "counted", 0, "USD counted in the window")
	flags.StringVar(&o.usage, "usage", "", "file or folder with the calls, as mesh meter --log writes them (mesh usage --help); those of other providers and days do not count")
	flags.BoolVar(&o.all, "all", false, "also show the days that do not differ")
	flags.Float64Var(&o.maxDrift, "max-drift", bills.DefaultLimitPercent, "largest difference, in percent of the bill")
	flags.StringVar(&o.html, "html", "", "file that receives a page: the bill, and with --usage the calls of its days")
	flags.StringVar(&o.account, "account", "", "BillingAccountId of -o focus (default the organization of OpenAI's bill or XAI_TEAM_ID, else \"default\")")
	app.PricesFlag(o.App, cmd)
	app.Exclude(cmd, "counted", "usage")
	return cmd
}

// adminKeys say where to get the keys that give access to bills.
var adminKeys = map[models.Provider]string{
	models.OpenAI:    ". An ordinary API key does not give access to bills. An owner of the organization makes an admin key on platform.openai.com: Settings, Organization, Admin keys",
	models.Anthropic: ". An ordinary API key does not give access to bills. An admin of the organization makes an admin key in the Claude Console (platform.claude.com): Settings, Admin keys",
	models.XAI:       ". An ordinary API key does not give access to bills. The xAI Console (console.x.ai) has management keys in its settings, and the id of the team",
}

func run(ctx context.Context, o *Options) error {
	err := o.check()
	if err != nil {
		return err
	}
	var b bill
	if o.saved != "" {
		if b, err = o.readBill(); err != nil {
			return err
		}
	}
	c, failures := o.Discover()
	in := &callsfiles.Files{}
	var counted []calls.Group
	var unread error
	if o.usage != "" {
		if in, err = o.OpenCalls([]string{o.usage}); err != nil {
			return err
		}
		defer in.Close()
		if counted, unread, err = o.countCalls(in, failures); err != nil {
			return err
		}
	}
	if o.saved == "" {
		o.Progress.Start()
		if b, err = o.requestBill(ctx, c); err != nil {
			return err
		}
	}
	if b == nil {
		return cmp.Or(o.writeUnbilled(in, unread), app.NoAnswerOf(failures, adminKeys[o.provider]))
	}
	o.WarnAll(failures)
	if o.Format == "focus" {
		o.Progress.Stop()
		return b.writeFocus(o.Out, o.account)
	}
	if o.usage != "" {
		b = b.withCalls(counted)
	}
	comparison, err := b.Compare(cmp.Or(o.maxDrift, math.SmallestNonzeroFloat64)) // 0 is the default of a bill
	if err != nil {
		return err
	}
	if err := o.write(b, comparison, in); err != nil {
		return err
	}
	if !o.compares() || comparison.Within {
		return unread
	}
	if o.Format != "text" { // which has the verdict
		fmt.Fprintln(o.Errs, "mesh: "+comparison.Sentences()[0])
	}
	return cmp.Or(unread, exit.ErrFound)
}

func (o *Options) compares() bool { return o.counted != nil || o.usage != "" }

// check also sets the provider, the days and the labels.
func (o *Options) check() (err error) {
	if !(o.maxDrift >= 0) || math.IsInf(o.maxDrift, 0) { // NaN too
		return exit.Usagef("--max-drift must not be negative")
	}
	if err := o.Parse(); err != nil {
		return err
	}
	switch {
	case o.Match != nil && o.usage == "":
		return exit.Usagef("--label selects calls of --usage, which is missing; a bill has no labels")
	case o.Format == "focus" && (o.counted != nil || o.usage != "" || o.html != ""):
		return exit.Usagef("-o focus is the bill alone; it cannot be used with --counted, --usage or --html")
	case o.Format != "focus" && o.account != "":
		return exit.Usagef("--account is only for -o focus")
	case o.all && !o.compares():
		return exit.Usagef("--all shows the days that do not differ from --usage or --counted, and neither is given")
	case o.limited && !o.compares():
		return exit.Usagef("--max-drift limits the difference from --usage or --counted, and neither is given")
	case o.counted != nil && !(*o.counted >= 0): // NaN too
		return exit.Usagef("--counted must not be negative")
	}
	name := o.provider
	o.provider, err = models.ParseProvider(string(name))
	switch {
	case err != nil || adminKeys[o.provider] == "" && o.provider != models.Gemini:
		return exit.Usagef("there is no bill of %q; mesh cost accepts openai, anthropic, xai and gemini", name)
	case o.saved == "-" && o.usage == "-":
		return exit.Usagef("--bill and --usage cannot both be stdin")
	case o.saved == "" && o.provider == models.Gemini:
		return exit.Usagef("Google has no API for bills; export them from Cloud Billing to BigQuery, and pass the rows with --bill FILE")
	case o.saved == "" && o.From+o.Last+o.Month == "":
		return exit.Usagef("--from or --last is missing; a bill from a file, --bill FILE, needs none")
	}
	if err := o.setDays(time.Now()); err != nil {
		return err
	}
	return page.Check(o.App, o.html, o.saved, o.usage)
}

func (o *Options) setDays(now time.Time) (err error) {
	now = now.UTC() // bills have UTC days
	if o.Last+o.Month != "" {
		if o.from, o.to, err = o.Times(now); err == nil && o.from.IsZero() {
			return exit.Usagef("--last %s is not for bills", o.Last)
		}
		return err
	}
	if o.from, err = day("--from", o.From, now); err != nil {
		return err
	}
	if o.to, err = day("--to", o.To, now); err != nil {
		return err
	}
	if o.To == "" && o.saved == "" {
		o.to, _ = dates.Day("0d", now)
	}
	switch {
	case o.From == "" || o.to.IsZero() || o.from.Before(o.to):
		return nil
	case o.To == "":
		return exit.Usagef("--from %s: a bill has whole UTC days, the last of which is yesterday, %s", o.From, o.to.AddDate(0, 0, -1).Format(time.DateOnly))
	}
	return exit.Usagef("--from must be before --to, which is the day after the last day of the bill")
}

func day(flag, text string, now time.Time) (time.Time, error) {
	at, ok := dates.Day(text, now)
	if !ok && text != "" {
		return at, exit.Usagef("%s %q must be a day such as 2026-11-01, or 7d for seven days ago", flag, text)
	}
	return at, nil
}
