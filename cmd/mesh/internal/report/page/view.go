package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// Rows per table: visible, visible on a phone, and in total.
const (
	shownRows  = 10
	phoneRows  = 5
	foldedRows = 200
)

// page is the template's data.
type page struct {
	*report.Report
	// Comparison reports whether costs can be compared with the previous period.
	Comparison bool
	Bars       []bar
	ByMonth    bool
	// sheet rounds all amounts except in bills, budgets and single calls.
	sheet *money.Sheet
	title string // chosen by the user
}

func newPage(r *report.Report) *page {
	p := &page{Report: r, Comparison: r.Change != nil && r.Total.Comparable, sheet: r.Sheet()}
	p.Bars, p.ByMonth = bars(&r.Days)
	p.roundBars()
	return p
}

// Title returns the user's title, or a summary.
func (p *page) Title() string {
	switch {
	case p.title != "":
		return line(p.title)
	case p.Total.Calls > 0:
		return p.atLeast() + p.Known() + " for models, " + p.PeriodText(p.Period)
	case len(p.Report.Bills) > 0:
		return "Bill of " + table.Provider(string(p.Report.Bills[0].Provider)) + ", " + p.PeriodText(report.Period{From: p.Report.Bills[0].From, To: p.Report.Bills[0].To})
	}
	return "Model costs: no calls"
}

// SpendName labels the known cost.
func (p *page) SpendName() string {
	if p.atLeast() != "" {
		return "At least"
	}
	return "Spend"
}

// atLeast precedes the known cost if some calls are unpriced.
func (p *page) atLeast() string {
	if p.Total.Unpriced > 0 && p.Total.Unpriced < p.Total.Calls {
		return "at least "
	}
	return ""
}

// Known returns the known cost, or says that all calls are unpriced.
func (p *page) Known() string {
	if p.Total.Calls > 0 && p.Total.Unpriced == p.Total.Calls {
		return notKnown
	}
	return p.usd(p.Total.USD)
}

// PeriodText returns days, or times if the period has partial days.
func (*page) PeriodText(t report.Period) string {
	if t.From.IsZero() && t.To.IsZero() {
		return "no time"
	}
	return table.Days(t.From, t.To, " – ")
}

// Zone names the zone for all times.
func (p *page) Zone() string { return cmp.Or(p.Source.Zone, "UTC") }

// Brand is printed above the period.
func (p *page) Brand() string { return line(cmp.Or(p.title, "Model costs")) }

// DaysText returns the period's length.
func (p *page) DaysText() string {
	if p.Period.Running {
		return table.Number(p.Period.Days, "day", "days") + ", today included"
	}
	return table.Number(p.Period.Days, "full day", "full days")
}

// Only describes Options.MatchLabels, or returns "".
func (p *page) Only() string { return line(table.Labels(p.Source.MatchLabels)) }

// Files lists the first input paths.
func (p *page) Files() string { return listed(p.Source.Paths) }

// NotCompared explains the missing change.
func (p *page) NotCompared() string {
	before := p.PeriodText(p.Previous)
	if p.Source.First.After(p.Previous.From) {
		return "There is no comparison with " + before + ": the calls begin on " + table.Instant(p.Source.First) + "."
	}
	return "There is no comparison with " + before + ", of which no call has a cost."
}

// ChangeOf formats a row's change.
func (p *page) ChangeOf(r *report.Row) string {
	switch {
	case !p.Comparison:
		return "–"
	case r.Change != nil:
		return signedPercent(r.Change, 0)
	case r.Previous.Calls == 0 && r.Calls > 0:
		return "new"
	}
	return "–"
}

// ShowChange reports whether the change rounds to at least a cent.
func (p *page) ShowChange() bool {
	return p.Comparison && math.Abs(number(p.Change.USD)) >= 0.005
}

// Lead explains the change in one sentence.
func (p *page) Lead() string { return p.Change.Sentence(p.sheet, dollars("+")) }

type moverTable struct {
	Name string
	Sum  prices.USD
	Rows []moverRow
}

// moverRow has a bar from the axis to the change, in percent.
type moverRow struct {
	report.Mover
	Cost           amount
	Axis, X, Width string
	Down           bool
}

// Moved returns tables with at least two rows.
func (p *page) Moved() (all []moverTable) {
	for _, m := range append([]report.Movers{p.Change.Models}, p.Change.Labels...) {
		if len(m.Rows) > 1 {
			all = append(all, p.moverTable(m))
		}
	}
	return all
}

func (p *page) moverTable(m report.Movers) moverTable {
	low, high := 0.0, 0.0
	changes := make([]prices.USD, len(m.Rows))
	for i, row := range m.Rows {
		changes[i] = row.ChangeUSD
		low, high = min(low, number(changes[i])), max(high, number(changes[i]))
	}
	table, shown := moverTable{Name: m.Name, Sum: p.Change.USD}, amounts(p.sheet, "+", p.Change.USD, changes...)
	width := max(high-low, 1e-12)
	for i, row := range m.Rows {
		usd := number(row.ChangeUSD)
		table.Rows = append(table.Rows, moverRow{
			Mover: row, Cost: shown[i], Axis: coordinate(-100 * low / width), X: coordinate(100 * (min(0, usd) - low) / width), Width: coordinate(100 * math.Abs(usd) / width), Down: usd < 0,
		})
	}
	return table
}

// ShowDays reports whether there are enough days for a chart.
func (p *page) ShowDays() bool { return len(p.Bars) >= 3 }

// Charts returns a chart for wide windows, and one for phones.
func (p *page) Charts() []*chart {
	return []*chart{newChart("wide", 830, 300, 48, 8, p.Bars), newChart("narrow", 360, 250, 40, 4, p.Bars)}
}

// ChartText describes the chart for people who can't see it.
func (p *page) ChartText() string {
	highest, lowest := &p.Bars[0], &p.Bars[0]
	for i := range p.Bars {
		switch b := &p.Bars[i]; {
		case b.total() > highest.total():
			highest = b
		case b.total() < lowest.total() && !b.Running:
			lowest = b
		}
	}
	return fmt.Sprintf("Stacked bars. Highest %s with %s, lowest %s with %s. The table below has all values.", highest.Title, highest.Cost.Text, lowest.Title, lowest.Cost.Text)
}

// Before explains the chart's line for the previous period, or returns "" if there is no
// line.
func (p *page) Before() string {
	if p.ByMonth || !slices.ContainsFunc(p.Bars, func(b bar) bool { return b.PreviousUSD != "" }) {
		return ""
	}
	if weeks := p.Period.Days / 7; p.Period.Days%7 == 0 {
		return "the same weekday " + table.Number(weeks, "week", "weeks") + " before"
	}
	return table.Number(p.Period.Days, "day", "days") + " before"
}

// RunningUntil returns the current time if the last bar is today, or "".
func (p *page) RunningUntil() string {
	if p.ByMonth || len(p.Bars) == 0 || !p.Bars[len(p.Bars)-1].Running {
		return ""
	}
	return p.Source.Now.UTC().Format("15:04")
}

// key is a row in a chart's legend.
type key struct {
	Color          int
	Name, Platform string
	USD            prices.USD
	Cost           amount
	Share          *float64
}

func (p *page) modelKeys() []key {
	rest := "other models"
	if n := p.Total.Models - len(p.Days.Models); n > 0 {
		rest = table.Number(n, "other model", "other models")
	}
	names := []key{}
	for _, id := range p.Days.Models {
		names = append(names, key{Name: id.Model, Platform: id.Platform})
	}
	return p.keys(append(names, key{Name: rest}), func(b *bar) []prices.USD { return b.Models })
}

func (p *page) valueKeys() []key {
	names := []key{}
	for _, value := range p.Days.Values {
		names = append(names, key{Name: value})
	}
	return p.keys(append(names, key{Name: "other or none"}), func(b *bar) []prices.USD { return b.Values })
}

// keys adds up the bars, except for today if it is outside the period.
func (p *page) keys(names []key, parts func(*bar) []prices.USD) (all []key) {
	for i, k := range slices.Backward(names) {
		k.USD = "0"
		for _, b := range p.Bars {
			if !b.Running || p.Days.Today == nil {
				k.USD = k.USD.Add(parts(&b)[i])
			}
		}
		k.Color, k.Share = i, share(k.USD, p.Total.USD)
		if i == len(names)-1 {
			k.Color = gray
			if k.USD == "0" {
				continue
			}
		}
		all = append(all, k)
	}
	costs, total := make([]prices.USD, len(all)), prices.USD("0")
	for i, k := range all {
		costs[i], total = k.USD, total.Add(k.USD)
	}
	for i, cost := range amounts(p.sheet, "", total, costs...) {
		all[i].Cost = cost
	}
	return all
}

// shownBill shows the days and models that differ most in Rows, and sums up the others in
// Rest.
type shownBill struct {
	*bills.Comparison
	Verdict    string
	Notes      []string
	Rows, Rest []bills.Part
	// Shown is parallel to Rows, followed by the rest if there is one.
	Shown []billedAmounts
	All   billedAmounts
}

type billedAmounts struct {
	Billed, Counted, Drift amount
	Counts                 bool // there are calls
}

// Bills prepares the bills for display.
func (p *page) Bills() (all []shownBill) {
	const most = 6
	for _, c := range p.Report.Bills {
		sentences, n := c.Sentences(), 0
		for n < min(most, len(c.Cells)) && c.Cells[n].Cause != "" {
			n++
		}
		b := shownBill{Comparison: c, Verdict: sentences[0], Notes: sentences[1:], Rows: c.Cells[:n], Rest: c.Cells[n:]}
		b.round()
		all = append(all, b)
	}
	return all
}

// round makes the last row the rest of the total.
func (b *shownBill) round() {
	r, sheet := b.Rounded(), money.NewSheet(b.Places())
	rest, restShown := b.Total, r.Total
	for i := range b.Rows {
		b.Shown = append(b.Shown, b.amounts(sheet, &b.Rows[i], &r.Cells[i]))
		rest, restShown = less(&rest, &b.Rows[i]), less(&restShown, &r.Cells[i])
	}
	if len(b.Rest) > 0 {
		b.Shown = append(b.Shown, b.amounts(sheet, &rest, &restShown))
	}
	b.All, b.Rows = b.amounts(sheet, &b.Total, &r.Total), r.Cells[:len(b.Rows)]
}

func less(a, b *bills.Part) bills.Part {
	return bills.Part{BilledUSD: a.BilledUSD.Sub(b.BilledUSD), CountedUSD: a.CountedUSD.Sub(b.CountedUSD), DriftUSD: a.DriftUSD.Sub(b.DriftUSD)}
}

func (b *shownBill) amounts(sheet *money.Sheet, exact, shown *bills.Part) billedAmounts {
	text := func(exact, shown prices.USD, plus string) amount {
		sheet.Set(money.Exact(exact), money.Exact(shown))
		return amount{Exact: exact, Text: rounded(sheet, exact, plus)}
	}
	return billedAmounts{
		text(exact.BilledUSD, shown.BilledUSD, ""), text(exact.CountedUSD, shown.CountedUSD, ""), text(exact.DriftUSD, shown.DriftUSD, "+"), b.Calls > 0,
	}
}

// Period returns the days that the bill covers.
func (b shownBill) Period(p *page) string { return p.PeriodText(report.Period{From: b.From, To: b.To}) }
