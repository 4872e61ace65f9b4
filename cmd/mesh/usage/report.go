package usage

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/page"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// adviceCodes are valid for --fail-on.
var adviceCodes = []string{report.CodeRetired, report.CodeRetiring, report.CodeBudget, report.CodeLabel, report.CodeErrors, report.CodeUnpriced}

type usageJSON struct {
	*costs.Sums
	Details *report.Report `json:"report"`
}

// reports returns two reports, each nil if not needed: r for -o json, --html, --fail-on
// and --budget, and text for a terminal, covering wholeDays. It also sets sums.Period.
func (o *Options) reports(sums *costs.Sums) (r, text *report.Report, err error) {
	s := report.Options{
		Location: o.zone, Explain: o.explain, From: o.selected.From, To: o.selected.To, MatchLabels: o.Match, Reprice: o.reprice, Subscription: o.subscription, Prices: o.selected.Prices,
		Budgets: o.budgets, ChargesOnly: o.chargesOnly,
	}
	terminal := o.onTerminal() && !o.onlyPage()
	if o.Format == "json" || o.html != "" || len(o.failOn) > 0 || len(o.budgets) > 0 && !terminal {
		if r, err = page.ReadReport(o.App, s, o.in, sums.Errors); err != nil {
			return nil, nil, exit.WrongUse(err)
		}
	}
	s.From, s.To = o.wholeDays(sums, s.From, s.To)
	wall := func(at time.Time) time.Time { return calendar.Wall(at, o.zone) }
	if now := time.Now(); !s.From.IsZero() && !s.To.IsZero() {
		sums.Period = table.Period(wall(s.From), wall(s.To), s.To.After(now) && !s.From.After(now), calendar.ZoneName(o.zone, now))
	}
	switch {
	case !terminal:
	case r != nil && r.Period.From.Equal(wall(s.From)) && r.Period.To.Equal(wall(s.To)):
		text = r
	default:
		text, err = page.ReadReport(o.App, s, o.in, sums.Errors)
	}
	return r, text, exit.WrongUse(err)
}

// maxYear is the last year that JSON times allow.
const maxYear = 9999

// wholeDays replaces an open end with the first or last call's day. If there are no
// calls, open ends stay zero.
func (o *Options) wholeDays(sums *costs.Sums, from, to time.Time) (time.Time, time.Time) {
	zone := cmp.Or(o.zone, time.UTC)
	first, err1 := time.ParseInLocation(time.DateOnly, sums.First, zone)
	last, err2 := time.ParseInLocation(time.DateOnly, sums.Last, zone)
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

// checkRules returns exit.ErrFound if a --fail-on rule fires. The table can have another
// period.
func (o *Options) checkRules(r *report.Report) (found error) {
	if len(o.failOn) > 0 {
		o.Note("--fail-on checks " + table.Calls(r.Total.Calls) + ", " + r.PeriodText())
	}
	for _, code := range o.failOn {
		for _, text := range r.Fired(code) {
			found = exit.ErrFound
			o.Note("--fail-on " + code + ": " + output.Line(text))
		}
	}
	return found
}

func (o *Options) printText(r *report.Report, sums *costs.Sums) error {
	o.Progress.Stop()
	width := output.Width(o.Out)
	if o.Wide {
		width = 0
	}
	if (o.byGiven || o.all) && len(o.by) > 0 && sums.Calls > 0 {
		return o.printBy(r, sums, width)
	}
	var text bytes.Buffer
	write := r.WriteText
	if o.firstLook() {
		write = r.WriteDays
	}
	if err := write(&text, width); err != nil {
		return err
	}
	blank := 0 // sentences follow the table, where names stay unmarked
	for line := range strings.Lines(text.String()) {
		switch {
		case line == "\n":
			blank++
		case strings.HasPrefix(line, "MODEL "), strings.HasPrefix(line, "DAY "):
			line = output.Heading(o.Out, strings.TrimSuffix(line, "\n")) + "\n"
		case blank > 1:
			line = output.Mark(o.Out, line)
		}
		if _, err := io.WriteString(o.Out, line); err != nil {
			return err
		}
	}
	return nil
}

func (o *Options) printPromotions(sums *costs.Sums) {
	for _, promotion := range sums.Promotions {
		fmt.Fprintln(o.Out, table.Paragraph("Prices: "+promotion+".", output.Width(o.Out)))
	}
}

// printBy prints costs by the --by names. r must cover the same period as sums.
func (o *Options) printBy(r *report.Report, sums *costs.Sums, width int) error {
	rows := table.Costs{All: o.all || isTime(o.by[0]), Change: r.Change != nil && r.Total.Comparable && !slices.ContainsFunc(o.by, isTime)}
	for _, name := range o.by {
		rows.Keys = append(rows.Keys, costs.Title(name))
	}
	title := sums.Period
	var before []calls.Group
	if rows.Change {
		opts := o.selected
		opts.By = [][]string{o.by}
		opts.From, opts.To = calendar.Unwall(r.Previous.From, o.zone), calendar.Unwall(r.Previous.To, o.zone)
		opts.OnRead = o.ReadingCalls("reading calls for the change", o.in)
		groups, _ := calls.Sum(opts, o.in.Paths...) // unreadable lines were already reported
		before = groups[0]
		title += ", change against the " + table.Length(r.Previous.From, r.Previous.To) + " before"
	}
	o.Progress.Stop()
	rows.Rows = costRows(o.by, sums.Rows, before)
	t := &r.Total
	rows.Total = table.CostRow{
		Keys: append([]string{"total"}, make([]string, len(o.by)-1)...), Calls: t.Calls, Unpriced: t.Unpriced, USD: t.USD, PreviousUSD: t.Previous.USD,
		Input: t.Input, Cached: t.Cached, Output: t.Output,
	}
	fmt.Fprintln(o.Out, table.Paragraph(title, width))
	if o.Match != nil {
		fmt.Fprintln(o.Out, table.Paragraph(table.Line("Only calls "+table.Labels(o.Match)), width))
	}
	fmt.Fprintln(o.Out)
	if err := rows.Write(o.Out, width, func(line string) string { return output.Heading(o.Out, line) }); err != nil {
		return err
	}
	var notes strings.Builder
	if err := r.WriteNotes(&notes, width); err != nil || notes.Len() == 0 {
		return err
	}
	_, err := fmt.Fprint(o.Out, "\n"+output.Mark(o.Out, notes.String()))
	return err
}

// isTime reports whether rows stay in time order, which also rules out a change column.
func isTime(name string) bool { return name == "day" || name == "week" || name == "month" }

// costRows sorts by cost, highest first, or by time. Groups from the previous period that
// ended get a row, too.
func costRows(by []string, now, before []calls.Group) []table.CostRow {
	var rows []table.CostRow
	places := map[string]int{}
	for i, g := range now {
		places[fmt.Sprintf("%q", g.Values)] = i
		rows = append(rows, costRow(by, &g))
	}
	for _, g := range before {
		place, known := places[fmt.Sprintf("%q", g.Values)]
		if !known {
			place = len(rows)
			rows = append(rows, costRow(by, &calls.Group{Values: g.Values, USD: "0"}))
		}
		rows[place].PreviousUSD = g.USD
	}
	if !isTime(by[0]) {
		slices.SortStableFunc(rows, func(a, b table.CostRow) int { return money.Exact(b.USD).Cmp(money.Exact(a.USD)) })
	}
	return rows
}

// costRow leaves the previous cost at 0.
func costRow(by []string, g *calls.Group) table.CostRow {
	row := table.CostRow{Keys: keyNames(by, g.Values), Calls: g.Calls, Unpriced: g.Unpriced, USD: g.USD, PreviousUSD: "0"}
	for _, u := range []*prices.Usage{&g.Usage, &g.SubscriptionUsage} {
		in, cached, _, out := report.Tokens(u)
		row.Input, row.Cached, row.Output = row.Input+in, row.Cached+cached, row.Output+out
	}
	return row
}

func keyNames(by, values []string) []string {
	names := slices.Clone(values)
	for i, value := range values {
		if label, labelled := strings.CutPrefix(by[i], calls.ByLabel("")); value == "" && labelled {
			names[i] = "(no " + label + ")"
		} else if value == "" {
			names[i] = output.Unknown
		}
	}
	return names
}
