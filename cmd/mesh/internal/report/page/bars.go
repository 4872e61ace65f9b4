package page

import (
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// maxBars is the longest chart by day; longer periods are shown by month.
const maxBars = 120

// bar is a day or, in long periods, a month, with an empty Day.Day.
type bar struct {
	report.Day
	// Unpriced reports whether all calls are unpriced.
	Unpriced bool
	// Title is for tables and texts, short for below the chart.
	Title, short string
	// Cost and Parts are rounded amounts: Parts is parallel to Models.
	Cost  amount
	Parts []amount
}

func newBar(d *report.Day, models, values int) bar {
	b := bar{Day: *d, Unpriced: noCost(d.Sum), Title: shortDate(d.Day), short: dateAs(d.Day, time.DateOnly, "2 Jan")}
	b.Models, b.Values = columns(d.Models, models), columns(d.Values, values)
	return b
}

// columns copies amounts for n names and for the rest.
func columns(usd []prices.USD, n int) []prices.USD {
	return append(slices.Clone(usd), zeros(n+1)...)[:n+1]
}

func zeros(n int) []prices.USD { return slices.Repeat([]prices.USD{"0"}, n) }

// total is never negative.
func (b *bar) total() float64 { return max(0, number(b.USD)) }

// bars returns days, including today, or months if there are more than maxBars.
func bars(days *report.Days) (all []bar, byMonth bool) {
	models, values := len(days.Models), len(days.Values)
	for _, d := range days.Rows {
		all = append(all, newBar(&d, models, values))
	}
	if days.Today != nil {
		today := newBar(days.Today, models, values)
		today.Running, today.short = true, "today"
		all = append(all, today)
	}
	if len(all) <= maxBars {
		return all, false
	}
	return months(all), true
}

func months(days []bar) (all []bar) {
	for _, d := range days {
		month := dateAs(d.Day.Day, time.DateOnly, "Jan 2006")
		if len(all) == 0 || all[len(all)-1].Title != month {
			all = append(all, bar{Day: report.Day{Sum: report.Sum{USD: "0"}, Models: zeros(len(d.Models)), Values: zeros(len(d.Values))}, Unpriced: true, Title: month, short: month})
		}
		all[len(all)-1].add(&d)
	}
	return all
}

func (b *bar) add(more *bar) {
	b.Calls += more.Calls
	b.USD = b.USD.Add(more.USD)
	for i := range b.Models {
		b.Models[i] = b.Models[i].Add(more.Models[i])
	}
	for i := range b.Values {
		b.Values[i] = b.Values[i].Add(more.Values[i])
	}
	b.Running = b.Running || more.Running
	b.Unpriced = b.Unpriced && (more.Unpriced || more.Calls == 0)
}

// roundBars makes days add up to their period, and models to their day, as shown.
func (p *page) roundBars() {
	total, costs := prices.USD("0"), []prices.USD{}
	for _, b := range p.Bars {
		costs = append(costs, b.USD)
		if p.ByMonth || !b.Running || p.Days.Today == nil {
			total = total.Add(b.USD)
		}
	}
	days := len(costs)
	if p.Days.Today != nil && !p.ByMonth { // today is outside the period
		days--
		costs[days] = p.Bars[days].USD
	}
	shown := amounts(p.sheet, "", total, costs[:days]...)
	for i := range p.Bars {
		b := &p.Bars[i]
		if b.Cost = (amount{Exact: b.USD, Text: p.usd(b.USD)}); i < days {
			b.Cost = shown[i]
		}
		b.Parts = amounts(p.sheet, "", b.USD, b.Models...)
	}
}
