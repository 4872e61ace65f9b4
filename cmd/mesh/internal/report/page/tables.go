package page

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

type tableRow struct {
	report.Row
	// ID is set in model rows. Name is shown instead of Value.
	ID   report.ModelID
	Name string
	// Rest marks rows for several values or for none.
	Rest bool
	// Wide rows are hidden on a phone; Narrow ones are only shown there.
	Wide, Narrow bool
	ChangeText   string
	Cost         amount
}

// costTable has the first rows, and all rows to unfold.
type costTable struct {
	Name, Values, Column string
	Rows, All            []tableRow
	Count                int
}

// ModelTable returns the models.
func (p *page) ModelTable() costTable {
	var rows []tableRow
	for _, m := range p.Models {
		rows = append(rows, tableRow{Row: m.Row, ID: m.ModelID, Rest: m.Others})
	}
	return p.table("model", rows)
}

// LabelTables returns labels, providers and platforms, each if there are at least two
// rows.
func (p *page) LabelTables() (all []costTable) {
	for _, l := range p.Labels {
		t := p.table(line(l.Name), labelRows(l.Name, l.Rows))
		t.Values, t.Count = table.Number(l.Values, "value", "values"), l.Values
		if l.Folded {
			t.Values = "more than " + table.Count(l.Values) + " values"
		}
		all = append(all, t)
	}
	all = append(all, p.table("provider", plainRows(p.Providers, table.Provider)), p.table("platform", plainRows(p.Platforms, platformName)))
	return slices.DeleteFunc(all, func(t costTable) bool { return len(t.All) < 2 })
}

func labelRows(label string, rows []report.Row) []tableRow {
	all := plainRows(rows, func(string) string { return "" }) // the value itself is shown
	for i := range all {
		if all[i].Value == "" && !all[i].Others {
			all[i].Name, all[i].Rest = unlabelled(label), true
		}
	}
	return all
}

// unlabelled names calls without a label, as in "(no team)".
func unlabelled(label string) string { return "(no " + line(label) + ")" }

func plainRows(rows []report.Row, name func(string) string) (all []tableRow) {
	for _, row := range rows {
		r := tableRow{Row: row, Rest: row.Others}
		if !r.Others {
			r.Name = name(r.Value)
		}
		all = append(all, r)
	}
	return all
}

// table folds rows and adds a shorter variant for phones.
func (p *page) table(name string, rows []tableRow) costTable {
	for i := range rows {
		rows[i].ChangeText = p.ChangeOf(&rows[i].Row)
	}
	t := costTable{Column: name, Name: strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):], Count: len(rows)}
	t.Rows = p.fold(rows, shownRows) // first: the other tables reuse these amounts
	t.All = p.fold(rows, foldedRows)
	if len(rows) <= phoneRows+1 {
		return t
	}
	for i := phoneRows; i < len(t.Rows); i++ {
		t.Rows[i].Wide = true
	}
	rest := p.rest(rows[phoneRows:])
	rest.Narrow = true
	rest.Cost = p.round(append(slices.Clone(t.Rows[:phoneRows]), rest))[phoneRows].Cost
	t.Rows = append(t.Rows, rest)
	return t
}

// fold keeps the first rows and adds up the rest. It never folds a single row.
func (p *page) fold(rows []tableRow, most int) []tableRow {
	if len(rows) <= most+1 {
		return p.round(slices.Clone(rows))
	}
	return p.round(append(slices.Clone(rows[:most]), p.rest(rows[most:])))
}

// round sets rounded costs that add up to the total.
func (p *page) round(rows []tableRow) []tableRow {
	costs := make([]prices.USD, len(rows))
	for i, row := range rows {
		costs[i] = row.USD
	}
	for i, cost := range amounts(p.sheet, "", p.Total.USD, costs...) {
		rows[i].Cost = cost
	}
	return rows
}

func (p *page) rest(rows []tableRow) tableRow {
	var all []report.Row
	for _, row := range rows {
		all = append(all, row.Row)
	}
	sum := tableRow{Row: p.Others(all), Rest: true}
	sum.ChangeText = p.ChangeOf(&sum.Row)
	return sum
}

func noCost(s report.Sum) bool { return s.Calls > 0 && s.Unpriced == s.Calls }

// CacheRows returns models with cached tokens. It prepares the sheet: the models' savings
// add up, and a cost without caches is the sum of the amounts shown.
func (p *page) CacheRows() []report.CacheRow {
	known := slices.DeleteFunc(slices.Clone(p.Cache.Models), func(row report.CacheRow) bool { return row.SavedUSD == "" })
	saved := make([]*big.Rat, len(known))
	for i, row := range known {
		saved[i] = money.Exact(row.SavedUSD)
	}
	p.sheet.Split(p.sheet.Difference(money.Exact(p.Cache.WithoutUSD), money.Exact(p.Total.USD)), saved...)
	for i, row := range known {
		p.sheet.Sum(money.Exact(row.USD), saved[i])
	}
	return p.Cache.Models
}

type topCall struct {
	report.TopCall
	Cost amount
}

// LabelTexts returns the call's labels or, if it has no labels, its id.
func (c *topCall) LabelTexts() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Labels)) {
		all = append(all, name+"="+c.Labels[name])
	}
	if all == nil && c.ID != "" {
		all = append(all, c.ID)
	}
	return all
}

// TopCalls adds decimal places, up to six, until different amounts look different.
func (p *page) TopCalls() (all []*topCall) {
	const cents, most = 2, 6
	for places := cents; places <= most; places++ {
		sheet, texts, exact := money.NewSheet(places), map[string]bool{}, map[prices.USD]bool{}
		all = nil
		for _, c := range p.Top.Calls {
			text := rounded(sheet, c.USD, "")
			texts[text], exact[c.USD] = true, true
			all = append(all, &topCall{c, amount{Exact: c.USD, Text: text}})
		}
		if len(texts) == len(exact) {
			break
		}
	}
	return all
}

// timing has a latency bar from the median to the 95th percentile, in percent of the
// slowest model.
type timing struct {
	report.Latency
	Bad      bool
	X, Width string
}

// highRate is the same as for advice.
const highRate = 0.03

// Timings sorts by failed calls, not by rate, which would put one failure in ten calls
// above 100 in 2,000.
func (p *page) Timings() (rows []timing) {
	slowest := 0.0
	latency := slices.Clone(p.Latency)
	for _, m := range latency {
		if slow := m.First.P95MS; slow != nil {
			slowest = max(slowest, *slow)
		}
	}
	slices.SortStableFunc(latency, func(a, b report.Latency) int { return cmp.Compare(b.First.Failed, a.First.Failed) })
	for _, m := range latency {
		t := timing{Latency: m, Bad: m.Rate != nil && *m.Rate >= highRate}
		if low, high := m.First.P50MS, m.First.P95MS; low != nil && high != nil && slowest > 0 {
			t.X, t.Width = coordinate(100**low/slowest), coordinate(100*max(0, *high-*low)/slowest)
		}
		rows = append(rows, t)
	}
	return rows
}

// first returns up to most elements from the start of any slice.
func first(most int, rows any) any {
	all := reflect.ValueOf(rows)
	return all.Slice(0, min(all.Len(), most)).Interface()
}

func unpricedModels(g report.UnpricedGroup) string {
	var names []string
	for _, m := range g.Models {
		name := cmp.Or(m.Model, "(no name)")
		if m.Others {
			name = "other models"
		}
		names = append(names, fmt.Sprintf("%s (%s)", name, table.Count(m.Calls)))
	}
	return listed(names)
}

// percentWidth limits fractions to 0 to 1.
func percentWidth(fraction float64) string { return coordinate(100 * min(max(fraction, 0), 1)) }
