package table

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// CostRow adds up the calls with the same keys.
type CostRow struct {
	// Keys are parallel to Costs.Keys.
	Keys []string
	// Provider is optional, and shown only if there is room.
	Provider string
	// Unpriced is included in Calls. PerCallUSD is the mean cost over successful, priced
	// calls, or "".
	Calls, Unpriced int
	PerCallUSD      prices.USD
	// USD and PreviousUSD are plain decimals.
	USD, PreviousUSD prices.USD
	// Input includes Cached, which was read from caches.
	Input, Cached, Output int64
	// Others is the number of rows that this one adds up; 0 for any other row.
	Others int
}

// Costs is a table with costs.
type Costs struct {
	// Keys are column titles.
	Keys []string
	// Rows are sorted by cost, the highest first, and Total adds them up.
	Rows  []CostRow
	Total CostRow
	// Change adds a column that compares USD with PreviousUSD.
	Change bool
	// All shows every row. By default, rows after the twelfth are added up.
	All bool
}

const top = 12

// Write writes the table for a terminal with width columns; 0 means no limit. heading
// formats title lines. If the UNPRICED column doesn't fit, a mark shows which costs are
// too low.
func (t *Costs) Write(w io.Writer, width int, heading func(string) string) error {
	rows := append(t.shown(), t.Total)
	table := t.table(rows)
	place := func(title string) int {
		return slices.IndexFunc(table.Columns, func(c Column) bool { return c.Title == title })
	}
	if table.Shows(place("UNPRICED"), width) || !slices.ContainsFunc(rows, CostRow.isLow) {
		return table.Write(w, width, heading)
	}
	usd := place("USD")
	for i, row := range rows {
		mark := " " // keep decimal points aligned
		if row.isLow() {
			mark = "+"
		}
		table.Rows[i][usd] += mark
	}
	if err := table.Write(w, width, heading); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, Paragraph("+: more than 1% of the calls have no known cost, so the cost is higher.", width))
	return err
}

// isLow reports whether the cost is visibly incomplete: more than 1 % but not all calls
// are unpriced.
func (r CostRow) isLow() bool { return r.Unpriced*100 > r.Calls && r.Unpriced < r.Calls }

// table leaves out columns that are empty in all rows, except UNPRICED.
func (t *Costs) table(rows []CostRow) *Table {
	table := &Table{}
	for _, key := range t.Keys {
		table.Columns = append(table.Columns, Key(key))
	}
	table.Columns = append(table.Columns,
		Plain("PROVIDER", 5), Late("CALLS", 9), Right("INPUT", 1), Right("OUTPUT", 2), Right("CACHED", 3), Right("UNPRICED", 6),
		Right("PER CALL", 4), Right("USD", 0), Late("SHARE", 8), Late("CHANGE", 7))
	usd, shares := t.amounts(rows)
	for i, row := range rows {
		table.Rows = append(table.Rows, append(slices.Clone(row.Keys), t.numbers(&row, usd[i], shares[i])...))
	}
	for i := len(table.Columns) - 1; i >= len(t.Keys); i-- {
		if table.Columns[i].Title == "UNPRICED" || slices.ContainsFunc(table.Rows, func(row []string) bool { return row[i] != "" && row[i] != none }) {
			continue
		}
		table.Remove(i)
	}
	return table
}

// shown returns up to top+1 rows unless All is set.
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
	r.USD, r.PreviousUSD = r.USD.Add(more.USD), r.PreviousUSD.Add(more.PreviousUSD)
	r.Others += max(1, more.Others)
}

// amounts formats costs and shares, which add up as shown. The last row must be the
// total.
func (t *Costs) amounts(rows []CostRow) (usd, shares []string) {
	total := money.Exact(t.Total.USD)
	exact, parts, all := make([]*big.Rat, len(rows)), make([]*big.Rat, len(rows)), big.NewRat(100, 1)
	for i := range rows {
		exact[i], parts[i] = money.Exact(rows[i].USD), new(big.Rat)
		if total.Sign() > 0 {
			parts[i].Quo(exact[i], total).Mul(parts[i], all)
		}
	}
	last := len(rows) - 1
	texts := func(places int, total *big.Rat, parts []*big.Rat) []string {
		sheet := money.NewSheet(places)
		return append(sheet.Texts(money.Format{}, total, parts...), sheet.Text(money.Format{}, total))
	}
	usd, shares = texts(money.Places(total), total, exact[:last]), make([]string, len(rows))
	if total.Sign() > 0 {
		shares = texts(1, all, parts[:last])
		for i := range shares {
			shares[i] += "%"
		}
	}
	return usd, shares
}

// none is shown for 0 and for unknown numbers.
const none = "-"

// numbers returns the cells after the keys. Rows that add up others have no token counts.
func (t *Costs) numbers(r *CostRow, usd, share string) []string {
	var input, output, cached, perCall, change string
	if r.Others == 0 {
		input, output = money.Separated(strconv.FormatInt(r.Input, 10)), money.Separated(strconv.FormatInt(r.Output, 10))
		if r.Input > 0 && r.Cached > 0 {
			cached = Percent(float64(r.Cached)/float64(r.Input), 0) + "%"
		}
		if r.PerCallUSD != "" {
			perCall = money.Significant(money.Exact(r.PerCallUSD))
		}
	}
	unpriced := none
	if r.Unpriced > 0 {
		unpriced = Count(r.Unpriced)
		if r.Unpriced == r.Calls {
			usd, perCall = none, none
			if share != "" {
				share = none
			}
		}
	}
	if t.Change {
		change = Change(r.USD, r.PreviousUSD)
	}
	return []string{r.Provider, Count(r.Calls), input, output, cached, unpriced, perCall, usd, share, change}
}

// Percent formats a fraction. Only 0 looks like 0: others are "<1" or, with a decimal
// place, "<0.1".
func Percent(fraction float64, places int) string {
	text := strconv.FormatFloat(100*fraction, 'f', places, 64)
	if fraction > 0 && strings.Trim(text, "0.") == "" {
		return "<" + text[:len(text)-1] + "1"
	}
	return text
}

// Change formats a cost change in percent, or as a factor from tenfold on. It returns
// "new" if previous is 0.
func Change(usd, previous prices.USD) string {
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
	percent := math.Round((ratio - 1) * 100)
	if percent == 0 { // not -0
		return "0%"
	}
	return fmt.Sprintf("%+.0f%%", percent)
}
