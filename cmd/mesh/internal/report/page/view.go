package page

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// The numbers of rows of a table: those that are shown, those on a phone, and those of all rows.
const (
	shownRows  = 10
	phoneRows  = 5
	foldedRows = 200
)

// page is a report as its template shows it.
type page struct {
	*report.Report
	// Comparison reports whether costs may be compared with the period before.
	Comparison bool
	Bars       []bar
	ByMonth    bool
	// sheet rounds all amounts except for those of bills, budgets and single calls.
	sheet *money.Sheet
	title string // of the user
}

func newPage(r *report.Report) *page {
	p := &page{Report: r, Comparison: r.Change != nil && r.Total.Comparable, sheet: r.Sheet()}
	p.Bars, p.ByMonth = bars(&r.Days)
	p.roundBars()
	return p
}

// Title is the title of the page.
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

// SpendName is the name of the known cost.
func (p *page) SpendName() string {
	if p.atLeast() != "" {
		return "At least"
	}
	return "Spend"
}

// atLeast is before the known cost if that of other calls is not known.
func (p *page) atLeast() string {
	if p.Total.Unpriced > 0 && p.Total.Unpriced < p.Total.Calls {
		return "at least "
	}
	return ""
}

// Known is the known cost, or that it is not known.
func (p *page) Known() string {
	if p.Total.Calls > 0 && p.Total.Unpriced == p.Total.Calls {
		return notKnown
	}
	return p.usd(p.Total.USD)
}

// PeriodText returns the days of a period, or its times if these are within days.
func (*page) PeriodText(t report.Period) string {
	if t.From.IsZero() && t.To.IsZero() {
		return "no time"
	}
	return table.Days(t.From, t.To, " – ")
}

// Zone is the zone of all times.
func (p *page) Zone() string { return cmp.Or(p.Source.Zone, "UTC") }

// Brand is above the period.
func (p *page) Brand() string { return line(cmp.Or(p.title, "Model costs")) }

// DaysText returns the length of the period.
func (p *page) DaysText() string {
	if p.Period.Running {
		return table.Number(p.Period.Days, "day", "days") + ", today included"
	}
	return table.Number(p.Period.Days, "full day", "full days")
}

// Only returns which labels all calls have; "" without Options.MatchLabels.
func (p *page) Only() string { return line(table.Labels(p.Source.MatchLabels)) }

// Files names what was read.
func (p *page) Files() string { return listed(p.Source.Paths) }

// NotCompared returns why there is no change.
func (p *page) NotCompared() string {
	before := p.PeriodText(p.Previous)
	if p.Source.First.After(p.Previous.From) {
		return "There is no comparison with " + before + ": the calls begin on " + table.Instant(p.Source.First) + "."
	}
	return "There is no comparison with " + before + ", of which no call has a cost."
}

// ChangeOf is the change of a row.
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

// ShowChange reports whether the change has a section.
func (p *page) ShowChange() bool {
	return p.Comparison && math.Abs(number(p.Change.USD)) >= 0.005
}

// Lead returns the parts of the change as a sentence.
func (p *page) Lead() string { return p.Change.Sentence(p.sheet, dollars("+")) }

// moverTable is a table of what moved.
type moverTable struct {
	Name string
	Sum  prices.USD
	Rows []moverRow
}

// moverRow has a bar from the axis to the change, in hundredths of the width.
type moverRow struct {
	report.Mover
	Cost           amount
	Axis, X, Width string
	Down           bool
}

// Moved are the tables of the change.
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
	for i := range m.Rows {
		changes[i] = m.Rows[i].ChangeUSD
		low, high = min(low, number(changes[i])), max(high, number(changes[i]))
	}
	table, shown := moverTable{Name: m.Name, Sum: p.Change.USD}, amounts(p.sheet, "+", p.Change.USD, changes...)
	width := max(high-low, 1e-12)
	for i := range m.Rows {
		usd := number(m.Rows[i].ChangeUSD)
		table.Rows = append(table.Rows, moverRow{
			Mover: m.Rows[i], Cost: shown[i], Axis: coordinate(-100 * low / width), X: coordinate(100 * (min(0, usd) - low) / width), Width: coordinate(100 * math.Abs(usd) / width), Down: usd < 0,
		})
	}
	return table
}

// ShowDays reports whether there are enough days for a chart.
func (p *page) ShowDays() bool { return len(p.Bars) >= 3 }

// Charts are the chart of a wide window, and the one of a phone.
func (p *page) Charts() []*chart {
	return []*chart{newChart("wide", 830, 300, 48, 8, p.Bars), newChart("narrow", 360, 250, 40, 4, p.Bars)}
}

// ChartText describes the chart.
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

// Before names the time of the lines in the chart; "" without any.
func (p *page) Before() string {
	if p.ByMonth || !slices.ContainsFunc(p.Bars, func(b bar) bool { return b.PreviousUSD != "" }) {
		return ""
	}
	if weeks := p.Period.Days / 7; p.Period.Days%7 == 0 {
		return "the same weekday " + table.Number(weeks, "week", "weeks") + " before"
	}
	return table.Number(p.Period.Days, "day", "days") + " before"
}

// RunningUntil is the time of today until which calls are in the chart; "" without today.
func (p *page) RunningUntil() string {
	if p.ByMonth || len(p.Bars) == 0 || !p.Bars[len(p.Bars)-1].Running {
		return ""
	}
	return p.Source.Now.UTC().Format("15:04")
}

// key is a color of the chart.
type key struct {
	Color  int
	ID     report.ModelID
	Others int
	USD    prices.USD
	Cost   amount
	Share  *float64
}

// Keys are the colors of the chart from the top.
func (p *page) Keys() (all []key) {
	last := len(p.Days.Models)
	for i := last; i >= 0; i-- {
		sum := prices.USD("0")
		for j := range p.Bars {
			if !p.Bars[j].Running || p.Days.Today == nil {
				sum = sum.Add(p.Bars[j].Models[i])
			}
		}
		k := key{Color: i, USD: sum, Share: share(sum, p.Total.USD)}
		if i == last {
			k.Color, k.Others = gray, max(p.Total.Models-last, 0)
			if sum == "0" {
				continue
			}
		} else {
			k.ID = p.Days.Models[i]
		}
		all = append(all, k)
	}
	costs, total := make([]prices.USD, len(all)), prices.USD("0")
	for i := range all {
		costs[i], total = all[i].USD, total.Add(all[i].USD)
	}
	for i, cost := range amounts(p.sheet, "", total, costs...) {
		all[i].Cost = cost
	}
	return all
}

// shownBill is a bill on the page: the days and models that differ most, and the sum of the others.
type shownBill struct {
	*bills.Comparison
	Verdict    string
	Notes      []string
	Rows, Rest []bills.Part
	// Shown are the amounts of Rows, and of the others if there are any.
	Shown []billedAmounts
	All   billedAmounts
}

// billedAmounts are what was billed and counted, and the difference as shown.
type billedAmounts struct {
	Billed, Counted, Drift amount
	Counts                 bool // there are calls
}

// Bills returns the bills of the page.
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

const cents = 2 // decimal places

// round sets the amounts: rows add up to all as shown, and differences are those of the amounts shown.
func (b *shownBill) round() {
	var billed, drifts []prices.USD
	for i := range b.Rows {
		billed, drifts = append(billed, b.Rows[i].Billed), append(drifts, b.Rows[i].Drift)
	}
	if len(b.Rest) > 0 {
		others := bills.Part{Billed: "0", Drift: "0"}
		for _, cell := range b.Rest {
			others.Billed, others.Drift = others.Billed.Add(cell.Billed), others.Drift.Add(cell.Drift)
		}
		billed, drifts = append(billed, others.Billed), append(drifts, others.Drift)
	}
	sheet, all := money.NewSheet(cents), &b.Total
	sheet.Difference(money.Exact(all.Billed), money.Exact(all.Counted))
	shown, parts := amounts(sheet, "", all.Billed, billed...), amounts(sheet, "+", all.Drift, drifts...)
	for i := range shown {
		b.Shown = append(b.Shown, b.amounts(shown[i], parts[i]))
	}
	b.All = b.amounts(amounts(sheet, "", all.Billed, all.Billed)[0], amounts(sheet, "+", all.Drift, all.Drift)[0])
}

func (b *shownBill) amounts(billed, drift amount) billedAmounts {
	counted := amount{Exact: billed.Exact.Sub(drift.Exact)}
	counted.Text = money.NewSheet(cents).Text(dollars(""), new(big.Rat).Sub(billed.shown, drift.shown))
	return billedAmounts{billed, counted, drift, b.Calls > 0}
}

// Period is the time of a bill.
func (b shownBill) Period(p *page) string { return p.PeriodText(report.Period{From: b.From, To: b.To}) }
