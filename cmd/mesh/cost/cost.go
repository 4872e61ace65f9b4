// Package cost implements mesh cost, which compares a provider's bill with counted calls.
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
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
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
	all, reprice                bool

	// OpenAI, Anthropic or xAI; also Gemini with --bill
	provider models.Provider
	// from is the first day, to the day after the last. Both are zero for a whole --bill.
	from, to time.Time
}

// New returns the mesh cost command.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	var counted float64
	cmd := &cobra.Command{
		Use:   "cost openai|anthropic|xai|gemini {--from DAY|--last DAYS|--bill FILE}",
		Short: "Compare a provider's bill with the counted calls",
		Long: `Cost reads a provider's bill for whole UTC days. It needs OPENAI_ADMIN_KEY, ANTHROPIC_ADMIN_KEY, or XAI_MANAGEMENT_KEY and XAI_TEAM_ID;
an ordinary API key gives no access to bills.

Files: --bill reads a saved bill instead, without a key, and by default all its days:

  openai      responses of GET /v1/organization/costs, all pages one after another
  anthropic   responses of GET /v1/organizations/cost_report, also with usage_report/messages
  xai         usage in UTC days
  gemini      an export from Cloud Billing to BigQuery (gcp_billing_export_v1_...) as JSON lines

In an export, rows of other Google services are ignored and counted, other currencies are converted with their
currency_conversion_rate, and credits are line items. The format follows Google's documentation; it was not tried with a real export.

Comparison: With --counted or --usage, the first line says whether bill and count differ by more than --max-drift, in percent of the
bill. The exit status is 1 if they do, or if it's unknown. The table has the days that differ, or all with --all. Unpriced calls make
the difference a range: at most, each costs the average of the most expensive model on its most expensive day.

With --usage, the difference is split by cause: uncounted calls, a model without calls, calls missing on the bill, calls around midnight,
another price, fees. A cause that the bill doesn't show isn't guessed; bills with quantities show most. Calls of other providers and
days don't count. An invalid line is reported, and the exit status is 2. With -o json, "comparison" has the causes by day and model.

A bill has no labels. --label compares all of it with the calls that have a label, for a bill to which only these calls belong, such as
the bill of one project.

Output: -o csv has a row for each day. -o focus writes the line items as CSV in the FinOps Open Cost and Usage Specification (FOCUS)
1.2. Don't add it to the rows of mesh usage, which cost the same calls.`,
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
	o.Flags.Add(cmd, "first `DAY`, such as 2026-11-01 or 7d (days ago)", "`DAY` after the last (default today, UTC)")
	flags := cmd.Flags()
	flags.StringVar(&o.saved, "bill", "", "`FILE` with a saved or exported bill, or - for stdin")
	flags.Float64Var(&counted, "counted", 0, "counted `USD` in the period")
	flags.StringVar(&o.usage, "usage", "", "calls to compare, a `FILE` or directory as for mesh usage")
	flags.BoolVar(&o.reprice, "reprice", false, "ignore recorded costs and use today's prices")
	flags.BoolVar(&o.all, "all", false, "also show days that don't differ")
	flags.Float64Var(&o.maxDrift, "max-drift", bills.DefaultLimitPercent, "largest difference, in `PERCENT` of the bill")
	flags.StringVar(&o.html, "html", "", "write an HTML report to this `FILE`")
	flags.StringVar(&o.account, "account", "", "BillingAccountId of -o focus (default the organization)")
	app.PricesFlag(o.App, cmd)
	app.Exclude(cmd, "counted", "usage")
	return cmd
}

// adminKeys says where to get the key for a bill; the texts continue an error.
var adminKeys = map[models.Provider]string{
	models.OpenAI:    ". An ordinary API key does not give access to bills. An organization owner can create an admin key on platform.openai.com: Settings, Organization, Admin keys",
	models.Anthropic: ". An ordinary API key does not give access to bills. An organization admin can create an admin key in the Claude Console (platform.claude.com): Settings, Admin keys",
	models.XAI:       ". An ordinary API key does not give access to bills. The xAI Console (console.x.ai) has management keys and the team id in its settings",
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
	comparison, err := b.Compare(cmp.Or(o.maxDrift, math.SmallestNonzeroFloat64)) // 0 would mean the default
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

// check validates the flags. It also sets the provider, the days and the labels.
func (o *Options) check() (err error) {
	if !(o.maxDrift >= 0) || math.IsInf(o.maxDrift, 0) { // NaN too
		return exit.Usagef("--max-drift must not be negative")
	}
	if err := o.Parse(); err != nil {
		return err
	}
	switch {
	case o.Match != nil && o.usage == "":
		return exit.Usagef("--label needs --usage: a bill has no labels")
	case o.reprice && o.usage == "":
		return exit.Usagef("--reprice needs --usage")
	case o.Format == "focus" && (o.counted != nil || o.usage != "" || o.html != ""):
		return exit.Usagef("-o focus writes only the bill; it cannot be used with --counted, --usage or --html")
	case o.Format != "focus" && o.account != "":
		return exit.Usagef("--account is only for -o focus")
	case o.all && !o.compares():
		return exit.Usagef("--all needs --usage or --counted")
	case o.limited && !o.compares():
		return exit.Usagef("--max-drift needs --usage or --counted")
	case o.counted != nil && !(*o.counted >= 0): // NaN too
		return exit.Usagef("--counted must not be negative")
	}
	name := o.provider
	o.provider, err = providers.Of(string(name), "")
	switch {
	case err != nil:
		return exit.WrongUse(err)
	case adminKeys[o.provider] == "" && o.provider != models.Gemini:
		return exit.Usagef("no bills from %q; mesh cost accepts openai, anthropic, xai and gemini", name)
	case o.saved == "-" && o.usage == "-":
		return exit.Usagef("--bill and --usage cannot both be stdin")
	case o.saved == "" && o.provider == models.Gemini:
		return exit.Usagef("Google has no API for bills; export them from Cloud Billing to BigQuery, and pass the rows with --bill FILE")
	case o.saved == "" && o.From+o.Last+o.Month == "":
		return exit.Usagef("--from or --last is required without --bill FILE")
	}
	if err := o.setDays(time.Now()); err != nil {
		return err
	}
	return page.Check(o.App, o.html, o.saved, o.usage)
}

func (o *Options) setDays(now time.Time) (err error) {
	now = now.UTC() // bills have UTC days
	if o.Last+o.Month != "" {
		o.from, o.to, err = o.Times(now)
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
		return exit.Usagef("--from %s must not be after yesterday (UTC), %s: a bill has whole days", o.From, o.to.AddDate(0, 0, -1).Format(time.DateOnly))
	}
	return exit.Usagef("--from must be before --to, which is the day after the last day of the bill")
}

func day(flag, text string, now time.Time) (time.Time, error) {
	at, ok := dates.Day(text, now)
	switch {
	case !ok && dates.Absent(text):
		return at, exit.Usagef("%s %q does not exist", flag, text)
	case !ok && text != "":
		return at, exit.Usagef("%s %q must be a day such as 2026-11-01, or 7d for seven days ago", flag, text)
	}
	return at, nil
}
