package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/page"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/report"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// adviceCodes are the rules of a report, for --fail-on.
var adviceCodes = []string{report.CodeRetired, report.CodeRetiring, report.CodeBudget, report.CodeLabel, report.CodeErrors, report.CodeUnpriced}

// usageJSON is what mesh usage prints with -o json: the sums of all calls, and the report.
type usageJSON struct {
	*costs.Report
	Details *report.Report `json:"report"`
}

func (f *Options) reportFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.budgets, "budget", nil, "show what is left of a budget, such as 5/day, 100/month or 2/day/label:user for the value that spent most; 5 is for all calls of the files; repeatable")
	flags.BoolVar(&f.chargesOnly, "charges-only", false, "let --budget count only what is charged, as of mesh meter: no calls of a subscription")
	flags.StringSliceVar(&f.failOn, "fail-on", nil, "exit with 1 if a rule fires: "+strings.Join(adviceCodes, ", ")+"; several with commas")
	app.Complete(cmd, "fail-on", completeList(adviceCodes...))
	flags.BoolVar(&f.line, "line", false, "print one line with the calls of today, in UTC, and the part of each --budget that is spent")
	flags.BoolVar(&f.all, "all", false, "on a terminal, show all rows")
}

// checkReport checks the flags of the report.
func (f *Options) checkReport(format string) error {
	if format == "focus" && len(f.failOn) > 0 {
		return exit.Usagef("--fail-on is not for -o focus")
	}
	if f.line && (format != "text" || f.byGiven || f.From+f.To+f.Last+f.html != "" || len(f.failOn) > 0 || f.reprice || f.all) {
		return exit.Usagef("--line is one line of text; of the other flags it has --budget, --charges-only and --label only")
	}
	for _, text := range f.budgets {
		if _, err := meter.ParseBudget(text); err != nil {
			return err
		}
	}
	for _, code := range f.failOn {
		if !slices.Contains(adviceCodes, code) {
			return exit.Usagef("--fail-on %q must be %s", code, strings.Join(adviceCodes, ", "))
		}
	}
	if slices.Contains(f.failOn, report.CodeBudget) && len(f.budgets) == 0 {
		return exit.Usagef("--fail-on budget checks --budget, which is missing")
	}
	return nil
}

// reports returns the report of -o json, --html, --fail-on and --budget, nil if nothing needs it, and the one that a terminal gets, nil
// without a terminal. The latter has the period of sums, which reports sets.
func (f *Options) reports(a *app.App, o report.Options, sums *costs.Report, in *callsfiles.Files) (r, text *report.Report, err error) {
	read := func() (*report.Report, error) {
		r, err := page.ReadReport(a, o, in, sums.Errors)
		return r, exit.WrongUse(err)
	}
	terminal := a.Format == "text" && output.Width(a.Out) > 0
	if a.Format == "json" || f.html != "" || len(f.failOn) > 0 || len(f.budgets) > 0 && !terminal {
		if r, err = read(); err != nil {
			return nil, nil, err
		}
	}
	o.From, o.To = wholeDays(sums, o.From, o.To)
	if !o.From.IsZero() && !o.To.IsZero() {
		sums.Period = table.Period(o.From, o.To, o.To.After(time.Now()))
	}
	switch {
	case !terminal:
	case r != nil && r.Period.From.Equal(o.From) && r.Period.To.Equal(o.To):
		text = r
	default:
		text, err = read()
	}
	return r, text, err
}

// wholeDays returns the period of the calls: an open end of the chosen one is the day of the first or the last call. Both are zero without
// calls, unless they were chosen.
func wholeDays(sums *costs.Report, from, to time.Time) (time.Time, time.Time) {
	first, err1 := time.Parse(time.DateOnly, sums.First)
	last, err2 := time.Parse(time.DateOnly, sums.Last)
	if err1 == nil && err2 == nil {
		if from.IsZero() {
			from = first
		}
		if to.IsZero() {
			to = last.AddDate(0, 0, 1)
		}
	}
	return from, to
}

// failOn prints the rules among codes that fire, and returns errFound if there is one.
func failOn(a *app.App, r *report.Report, codes []string) error {
	var found error
	for _, code := range codes {
		if !slices.Contains(r.Codes, code) {
			continue
		}
		found = exit.ErrFound
		text := "this rule fires" // Advice has five at most
		if i := slices.IndexFunc(r.Advice, func(advice report.Advice) bool { return advice.Code == code }); i >= 0 {
			text = r.Advice[i].Text
		}
		fmt.Fprintf(a.Errs, "mesh: --fail-on %s: %s\n", code, output.Line(text))
	}
	return found
}
