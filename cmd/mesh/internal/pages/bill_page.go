package pages

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Page returns the page of the bill: a chart by day, and tables by model and by day.
func (b *Bill) Page() *Page {
	page := &Page{Title: "Bill of " + string(b.provider), Window: "No days", Total: exact(decimal(amount(b.Total.BilledUSD))) + " USD", Details: []string{"billed"}}
	if b.counted {
		page.Details = b.facts()
	}
	if b.Total.Unpriced > 0 {
		page.Warning = &Warning{Text: "Unpriced calls, whose cost is not known and in no sum: " + thousands(int64(b.Total.Unpriced)) + "."}
	}
	if n := len(b.Days); n > 0 {
		page.Window = b.Days[0].Name + " to " + b.Days[n-1].Name + " (UTC)"
	}
	page.Chart = b.chart()
	if len(b.Models) > 0 {
		page.Tables = append(page.Tables, b.modelTable())
	}
	table := b.newTable("By day", "Day")
	for _, day := range b.Days {
		table.Rows = append(table.Rows, b.row(day.Name, &day))
	}
	table.Rows = append(table.Rows, b.row("total", &b.Total))
	page.Tables = append(page.Tables, table)
	return page
}

func (b *Bill) chart() *Chart {
	key := []Key{{"bar", "billed"}, {"bar other", "counted"}}
	if !b.counted {
		key = key[:1]
	}
	days, amounts := make([]string, len(b.Days)), make(map[string][]*big.Rat)
	for i, day := range b.Days {
		days[i], amounts[day.Name] = day.Name, []*big.Rat{amount(day.BilledUSD), amount(day.CountedUSD)}[:len(key)]
	}
	return newChart(days, amounts, key)
}

// modelTable returns the models that differ most, the others as one row, the line items without a model, and the total.
func (b *Bill) modelTable() PageTable {
	table := b.newTable("By model", "Model")
	models := byDrift(b.Models)
	shown := models[:min(len(models), maxRows)]
	for _, model := range shown {
		table.Rows = append(table.Rows, b.row(cmp.Or(model.Name, withoutName), &model))
	}
	if more := models[len(shown):]; len(more) > 0 {
		rest := sum(more)
		table.Rows = append(table.Rows, b.row(fmt.Sprintf("%d more", len(more)), &rest))
	}
	if name := b.otherName(); name != "" {
		table.Rows = append(table.Rows, b.row(name, &discovery.BillPart{BilledUSD: b.OtherUSD, CountedUSD: "0", DriftUSD: b.OtherUSD}))
	}
	table.Rows = append(table.Rows, b.row("total", &b.Total))
	return table
}

// sum adds up parts. What was counted is known if it is known of one of them.
func sum(parts []discovery.BillPart) (all discovery.BillPart) {
	billed, counted, known := new(big.Rat), new(big.Rat), false
	for _, p := range parts {
		billed.Add(billed, amount(p.BilledUSD))
		counted.Add(counted, amount(p.CountedUSD))
		all.Unpriced += p.Unpriced
		known = known || p.CountedUSD != ""
	}
	all.BilledUSD = billed.RatString()
	if known {
		all.CountedUSD, all.DriftUSD = counted.RatString(), billed.Sub(billed, counted).RatString()
	}
	return all
}

func (b *Bill) newTable(title, name string) PageTable {
	names := []string{name, "Billed", "Counted", "Drift", "Unpriced"}
	if !b.counted {
		names = names[:2]
	}
	return PageTable{Title: title, Names: names}
}

func (b *Bill) row(name string, p *discovery.BillPart) PageRow {
	cells := []Cell{{Text: signedMoney(amount(p.BilledUSD), "")}}
	if b.counted {
		counted, drift := notKnown, notKnown
		if p.CountedUSD != "" {
			counted, drift = signedMoney(amount(p.CountedUSD), ""), signedMoney(amount(p.DriftUSD), "+")
		}
		cells = append(cells, Cell{Text: counted}, Cell{Text: drift}, Cell{Text: strconv.Itoa(p.Unpriced), Some: p.Unpriced > 0})
	}
	return PageRow{Name: name, Cells: cells}
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
