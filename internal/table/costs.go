package table

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"

	"github.com/mesh-gateway/mesh-go/internal/money"
)

// CostRow is the sum of the calls with the same keys.
type CostRow struct {
	// Keys are the names of the row. Those of Costs.Keys and of Costs.Provider.
	Keys []string
	// Provider is shown where there is room.
	Provider string
	// Calls is the number of calls, Unpriced how many of them have no known cost, and PerCallUSD the mean cost of those that succeeded with a
	// known one.
	Calls, Unpriced int
	PerCallUSD      string
	// USD and PreviousUSD are plain decimals.
	USD, PreviousUSD string
	// Input is all input, and Cached the part that was read from caches.
	Input, Cached, Output int64
	// Others is the number of rows that this one adds up; 0 for any other.
	Others int
}

// Costs is a table of costs.
type Costs struct {
	// Keys are the titles of the keys.
	Keys []string
	// Rows are sorted by cost, the highest first, and Total is their sum.
	Rows  []CostRow
	Total CostRow
	// Change reports whether there is a period before, to which rows are compared.
	Change bool
	// All shows every row.
	All bool
}

// top is the number of rows that are shown without Costs.All.
const top = 12

// The columns behind the keys.
const (
	provider = iota
	numCalls
	input
	output
	cached
	unpriced
	perCall
	usd
	share
	change
	columns
)

// unpricedTitle is the title of the column without which amounts are marked.
const unpricedTitle = "UNPRICED"

// Write writes the table for a terminal of width columns; 0 has no limit. heading formats the line of the titles.
func (t *Costs) Write(w io.Writer, width int, heading func(string) string) error {
	table := t.table(false)
	marked := t.marks() && !table.Shows(slices.IndexFunc(table.Columns, func(c Column) bool { return c.Title == unpricedTitle }), width)
	if marked {
		table = t.table(true)
	}
	if err := table.Write(w, width, heading); err != nil {
		return err
	}
	if marked {
		_, err := fmt.Fprintln(w, Paragraph("+: more than 1% of the calls have no known cost, so the cost is higher.", width))
		return err
	}
	return nil
}

// marks reports whether a row has a mark.
func (t *Costs) marks() bool {
	return slices.ContainsFunc(append(t.shown(), t.Total), func(r CostRow) bool { return r.isLow() && r.Unpriced < r.Calls })
}

// isLow reports whether more than 1 % of the calls have no known cost.
func (r *CostRow) isLow() bool { return r.Unpriced*100 > r.Calls }

// table returns the cells. marked marks the amounts of rows with calls whose cost is not known.
func (t *Costs) table(marked bool) *Table {
	table := &Table{}
	for _, key := range t.Keys {
		table.Columns = append(table.Columns, Column{Title: key, Key: true})
	}
	table.Columns = append(table.Columns, []Column{
		provider: {Title: "PROVIDER", Drop: 5}, numCalls: {Title: "CALLS", Right: true, Drop: 9, Late: true}, input: {Title: "INPUT", Right: true, Drop: 1},
		output: {Title: "OUTPUT", Right: true, Drop: 2}, cached: {Title: "CACHED", Right: true, Drop: 3}, unpriced: {Title: unpricedTitle, Right: true, Drop: 6},
		perCall: {Title: "PER CALL", Right: true, Drop: 4}, usd: {Title: "USD", Right: true}, share: {Title: "SHARE", Right: true, Drop: 8, Late: true},
		change: {Title: "CHANGE", Right: true, Drop: 7, Late: true},
	}...)
	decimals := money.Places(money.Exact(t.Total.USD))
	for _, row := range append(t.shown(), t.Total) {
		table.Rows = append(table.Rows, append(slices.Clone(row.Keys), t.numbers(&row, decimals, marked)...))
	}
	t.dropEmpty(table)
	return table
}

// dropEmpty removes the columns that no row has: CHANGE without a period before, and PROVIDER where it is a key.
func (t *Costs) dropEmpty(table *Table) {
	for i := len(table.Columns) - 1; i >= len(t.Keys); i-- {
		if i-len(t.Keys) == unpriced || slices.ContainsFunc(table.Rows, func(row []string) bool { return row[i] != "" && row[i] != none }) {
			continue
		}
		table.Columns = slices.Delete(table.Columns, i, i+1)
		for n, row := range table.Rows {
			table.Rows[n] = slices.Delete(row, i, i+1)
		}
	}
}

// shown returns the rows that are shown, the last of which may add up the others.
func (t *Costs) shown() []CostRow {
	if t.All || len(t.Rows) <= top+1 {
		return slices.Clone(t.Rows)
	}
	rows, others := slices.Clone(t.Rows[:top]), CostRow{Keys: make([]string, len(t.Keys)), USD: "0", PreviousUSD: "0"}
	for i := range t.Rows[top:] {
		others.add(&t.Rows[top+i])
	}
	if len(t.Keys) > 0 {
		others.Keys[0] = Count(others.Others) + " others (--all)"
	}
	return append(rows, others)
}

func (r *CostRow) add(more *CostRow) {
	r.Calls += more.Calls
	r.Unpriced += more.Unpriced
	r.USD, r.PreviousUSD = money.Sum(r.USD, more.USD), money.Sum(r.PreviousUSD, more.PreviousUSD)
	r.Input += more.Input
	r.Cached += more.Cached
	r.Output += more.Output
	r.Others += max(1, more.Others)
}

// none is in the place of a number that is 0 or not known.
const none = "-"

// numbers returns the cells behind the keys.
func (t *Costs) numbers(r *CostRow, decimals int, marked bool) []string {
	cells := make([]string, columns)
	cells[provider], cells[numCalls] = r.Provider, Count(r.Calls)
	cells[unpriced], cells[usd] = none, money.Column(money.Exact(r.USD), decimals)
	if r.Unpriced > 0 {
		cells[unpriced] = Count(r.Unpriced)
	}
	known := r.Unpriced < r.Calls || r.Calls == 0
	if !known {
		cells[usd] = none
	}
	if marked {
		cells[usd] += mark(known && r.isLow())
	}
	if r.Others == 0 { // their counts are not added up
		cells[input], cells[output] = money.Separated(strconv.FormatInt(r.Input, 10)), money.Separated(strconv.FormatInt(r.Output, 10))
		if r.Input > 0 && r.Cached > 0 {
			cells[cached] = fmt.Sprintf("%.0f%%", float64(r.Cached)/float64(r.Input)*100)
		}
		if r.PerCallUSD != "" {
			cells[perCall] = money.Significant(money.Exact(r.PerCallUSD))
		}
	}
	if total := money.Exact(t.Total.USD); total.Sign() > 0 {
		part, _ := new(big.Rat).Quo(money.Exact(r.USD), total).Float64()
		cells[share] = fmt.Sprintf("%.1f%%", part*100)
	}
	if t.Change {
		cells[change] = Change(r.USD, r.PreviousUSD)
	}
	return cells
}

// mark is behind an amount that is a part of the cost. A blank keeps the decimal points in a column.
func mark(low bool) string {
	if low {
		return "+"
	}
	return " "
}

// Change returns a change of the cost in percent, or as a factor from tenfold on; "new" if there was none before.
func Change(usd, previous string) string {
	now, before := money.Exact(usd), money.Exact(previous)
	switch {
	case before.Sign() == 0 && now.Sign() == 0:
		return none
	case before.Sign() == 0:
		return "new"
	}
	ratio, _ := new(big.Rat).Quo(now, before).Float64()
	const tenfold = 10
	if ratio >= tenfold {
		return "×" + strconv.FormatFloat(ratio, 'f', 1, 64)
	}
	return fmt.Sprintf("%+.0f%%", (ratio-1)*100)
}
