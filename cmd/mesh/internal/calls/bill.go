package calls

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// BillDay is a day of a bill beside what was counted.
type BillDay struct {
	Day             string
	Billed, Counted *big.Rat
	Unpriced        int
}

func (d *BillDay) difference() *big.Rat { return new(big.Rat).Sub(d.Billed, d.Counted) }

// Bill is a bill beside what was counted.
type Bill struct {
	Provider string
	// Days are sorted.
	Days []BillDay
}

// total returns the sums of all days.
func (b *Bill) total() BillDay {
	total := BillDay{Day: "total", Billed: new(big.Rat), Counted: new(big.Rat)}
	for _, day := range b.Days {
		total.Billed.Add(total.Billed, day.Billed)
		total.Counted.Add(total.Counted, day.Counted)
		total.Unpriced += day.Unpriced
	}
	return total
}

// Summary returns one line with the sums and the days that differ most.
func (b *Bill) Summary() string {
	const named = 3
	total := b.total()
	line := fmt.Sprintf("counted %s USD, billed %s USD, calls without a known cost: %d, difference %s USD",
		decimal(total.Counted), decimal(total.Billed), total.Unpriced, signed(total.difference()))
	if total.Counted.Sign() > 0 {
		percent := new(big.Rat).Quo(total.difference(), total.Counted)
		line += fmt.Sprintf(" (%s %%)", percent.Mul(percent, big.NewRat(100, 1)).FloatString(1))
	}
	days := slices.DeleteFunc(slices.Clone(b.Days), func(d BillDay) bool { return d.difference().Sign() == 0 })
	slices.SortStableFunc(days, func(x, y BillDay) int {
		dx, dy := x.difference(), y.difference()
		return dy.Abs(dy).Cmp(dx.Abs(dx))
	})
	var names []string
	for _, day := range days[:min(len(days), named)] {
		names = append(names, day.Day+" "+signed(day.difference()))
	}
	if names != nil {
		line += "; most on " + strings.Join(names, ", ")
	}
	return line
}

// Page returns the page of the bill.
func (b *Bill) Page() *Page {
	total := b.total()
	page := &Page{Title: "Bill of " + b.Provider, Window: "No days", Total: cmp.Or(decimal(total.Billed), "0"), Detail: "billed; " + b.Summary()}
	if total.Unpriced > 0 {
		page.Warning = &Warning{Text: thousands(int64(total.Unpriced)) + " calls have no known cost and are not counted."}
	}
	var days []string
	amounts := make(map[string][]*big.Rat)
	for _, day := range b.Days {
		days = append(days, day.Day)
		amounts[day.Day] = []*big.Rat{day.Billed, day.Counted}
	}
	if len(days) > 0 {
		page.Window = days[0] + " to " + days[len(days)-1] + " (UTC)"
	}
	page.Chart = newChart(days, amounts, []Key{{"bar", "billed"}, {"bar other", "counted"}})
	table := PageTable{Title: "By day", Names: []string{"Day", "Billed", "Counted", "Difference", "No cost"}}
	for _, day := range append(slices.Clone(b.Days), total) {
		table.Rows = append(table.Rows, PageRow{Name: day.Day, Cells: []Cell{
			{Text: decimal(day.Billed)}, {Text: decimal(day.Counted)}, {Text: signed(day.difference())}, {Text: strconv.Itoa(day.Unpriced), Some: day.Unpriced > 0},
		}})
	}
	page.Tables = []PageTable{table}
	return page
}

// decimal returns an amount with up to six decimal places.
func decimal(usd *big.Rat) string {
	text := usd.FloatString(6)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

func signed(usd *big.Rat) string {
	if usd.Sign() > 0 {
		return "+" + decimal(usd)
	}
	return decimal(usd)
}
