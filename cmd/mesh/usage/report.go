package usage

import (
	"fmt"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/page"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// adviceCodes are the rules of a report, for --fail-on.
var adviceCodes = []string{report.CodeRetired, report.CodeRetiring, report.CodeBudget, report.CodeLabel, report.CodeErrors, report.CodeUnpriced}

// usageJSON is what mesh usage prints with -o json: the sums of all calls, and the report.
type usageJSON struct {
	*costs.Report
	Details *report.Report `json:"report"`
}

// reports returns the report of -o json, --html, --fail-on and --budget, nil if nothing needs it, and the one that a terminal gets, nil
// without a terminal. The latter has the period of sums, which reports sets.
func (o *Options) reports(sums *costs.Report) (r, text *report.Report, err error) {
	s := report.Options{
		From: o.selected.From, To: o.selected.To, MatchLabels: o.Match, Reprice: o.reprice, Subscription: o.subscription, Prices: o.selected.Prices,
		Budgets: o.budgets, ChargesOnly: o.chargesOnly,
	}
	terminal := o.Format == "text" && output.Width(o.Out) > 0
	if o.Format == "json" || o.html != "" || len(o.failOn) > 0 || len(o.budgets) > 0 && !terminal {
		if r, err = page.ReadReport(o.App, s, o.in, sums.Errors); err != nil {
			return nil, nil, exit.WrongUse(err)
		}
	}
	s.From, s.To = wholeDays(sums, s.From, s.To)
	if !s.From.IsZero() && !s.To.IsZero() {
		sums.Period = table.Period(s.From, s.To, s.To.After(time.Now()))
	}
	switch {
	case !terminal:
	case r != nil && r.Period.From.Equal(s.From) && r.Period.To.Equal(s.To):
		text = r
	default:
		text, err = page.ReadReport(o.App, s, o.in, sums.Errors)
	}
	return r, text, exit.WrongUse(err)
}

// maxYear is the last year that JSON can have.
const maxYear = 9999

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
		if to.Year() > maxYear {
			to = to.Add(-1)
		}
	}
	return from, to
}

// checkRules prints the rules of --fail-on that fire, and returns exit.ErrFound if there is one.
func (o *Options) checkRules(r *report.Report) (found error) {
	for _, code := range o.failOn {
		if !slices.Contains(r.Codes, code) {
			continue
		}
		found = exit.ErrFound
		text := "this rule fires" // Advice has five at most
		if i := slices.IndexFunc(r.Advice, func(advice report.Advice) bool { return advice.Code == code }); i >= 0 {
			text = r.Advice[i].Text
		}
		fmt.Fprintf(o.Errs, "mesh: --fail-on %s: %s\n", code, output.Line(text))
	}
	return found
}
