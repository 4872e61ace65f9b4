package pages

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
)

// Page returns the page of the bill: a chart by day, and tables by model and by day.
func (b *Bill) Page() *Page {
	total := b.total()
	page := &Page{Title: "Bill of " + string(b.provider), Window: "No days", Total: exact(decimal(&total.billed)) + " USD", Details: []string{"billed"}}
	if b.counted {
		page.Details = b.facts()
	}
	if total.unpriced > 0 {
		page.Warning = &Warning{Text: "Unpriced calls, whose cost is not known and in no sum: " + thousands(int64(total.unpriced)) + "."}
	}
	days := slices.Sorted(maps.Keys(b.days))
	if len(days) > 0 {
		page.Window = days[0] + " to " + days[len(days)-1] + " (UTC)"
	}
	page.Chart = b.chart(days)
	if len(b.models) > 0 {
		page.Tables = append(page.Tables, b.modelTable(total))
	}
	table := b.newTable("By day", "Day")
	for _, day := range days {
		table.Rows = append(table.Rows, b.row(b.days[day]))
	}
	table.Rows = append(table.Rows, b.row(total))
	page.Tables = append(page.Tables, table)
	return page
}

func (b *Bill) chart(days []string) *Chart {
	key := []Key{{"bar", "billed"}, {"bar other", "counted"}}
	if !b.counted {
		key = key[:1]
	}
	amounts := make(map[string][]*big.Rat)
	for _, day := range days {
		amounts[day] = []*big.Rat{&b.days[day].billed, &b.days[day].counted}[:len(key)]
	}
	return newChart(days, amounts, key)
}

// modelTable returns the models that differ most, the others as one row, the line items without a model, and the total.
func (b *Bill) modelTable(total *compared) PageTable {
	table := b.newTable("By model", "Model")
	models := byDrift(b.models)
	rest := &compared{name: fmt.Sprintf("%d more", len(models)-maxRows)}
	for i, model := range models {
		if i < maxRows {
			table.Rows = append(table.Rows, b.row(model))
			continue
		}
		rest.billed.Add(&rest.billed, &model.billed)
		rest.counted.Add(&rest.counted, &model.counted)
		rest.unpriced += model.unpriced
		rest.known = rest.known || model.known
	}
	if len(models) > maxRows {
		table.Rows = append(table.Rows, b.row(rest))
	}
	if name := b.otherName(); name != "" {
		other := b.other
		other.name = name
		table.Rows = append(table.Rows, b.row(&other))
	}
	table.Rows = append(table.Rows, b.row(total))
	return table
}

func (b *Bill) newTable(title, name string) PageTable {
	names := []string{name, "Billed", "Counted", "Drift", "Unpriced"}
	if !b.counted {
		names = names[:2]
	}
	return PageTable{Title: title, Names: names}
}

func (b *Bill) row(c *compared) PageRow {
	cells := []Cell{{Text: signedMoney(&c.billed, "")}}
	if b.counted {
		counted, drift := signedMoney(&c.counted, ""), signedMoney(c.drift(), "+")
		if c.uncounted() {
			counted, drift = notKnown, notKnown
		}
		cells = append(cells, Cell{Text: counted}, Cell{Text: drift}, Cell{Text: strconv.Itoa(c.unpriced), Some: c.unpriced > 0})
	}
	return PageRow{Name: cmp.Or(c.name, withoutName), Cells: cells}
}

// signedMoney returns an amount as money does, with a minus or, if it is positive, with plus.
func signedMoney(usd *big.Rat, plus string) string {
	switch usd.Sign() {
	case -1:
		return "-" + money(new(big.Rat).Neg(usd))
	case 1:
		return plus + money(usd)
	default:
		return "0"
	}
}
