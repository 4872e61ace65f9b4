package bills_test

import (
	"math/big"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
)

// situation makes a bill and the calls differ. cause is the expected cause for the total.
type situation struct {
	name  string
	cause bills.Cause
	apply func(w *world)
}

func (w *world) onDays(days ...int) func(use) bool {
	return func(u use) bool {
		for _, day := range days {
			if u.day == day {
				return true
			}
		}
		return false
	}
}

var situations = []situation{
	{"the same", "", func(*world) {}},
	{"rounded items", "", func(w *world) { w.rounding = 6 }},
	{"a model without a meter", bills.NotCountedModel, func(w *world) {
		w.calls = w.without(w.calls, bills.NotCountedModel, func(u use) bool { return u.model == 1 })
	}},
	{"nothing but a model without a meter", bills.NotCountedModel, func(w *world) {
		w.calls = w.without(w.calls, bills.NotCountedModel, func(u use) bool { return u.model != 2 })
	}},
	{"calls are missing on three days", bills.MissingCalls, func(w *world) {
		days := w.onDays(2, 5, 8)
		w.calls = w.without(w.calls, bills.MissingCalls, func(u use) bool { return u.model == 0 && days(u) && w.r.IntN(3) > 0 })
	}},
	{"a meter that began late", bills.MissingCalls, func(w *world) {
		w.calls = w.without(w.calls, bills.MissingCalls, func(u use) bool { return u.day < 4 })
	}},
	{"output-heavy calls are missing among cached ones", bills.MissingCalls, func(w *world) {
		cached, heavy := use{day: 6, tokens: [3]int64{900, 180_000, 300}}, use{day: 6, tokens: [3]int64{400, 0, 9_000}}
		for range 500 {
			w.bill, w.calls = append(w.bill, cached), append(w.calls, cached)
		}
		for range 25 {
			w.bill = append(w.bill, heavy)
		}
		w.cause[[2]int{6, 0}] = bills.MissingCalls
	}},
	{"cached calls are missing", bills.MissingCalls, func(w *world) {
		for range 60 {
			w.bill = append(w.bill, use{day: 3, tokens: [3]int64{0, 170_000, 10}})
		}
		w.cause[[2]int{3, 0}] = bills.MissingCalls
	}},
	{"another price of a model", bills.AnotherPrice, func(w *world) { w.priced(0, 0, big.NewRat(5, 4)) }},
	{"a lower price of all models", bills.AnotherPrice, func(w *world) {
		w.price = func(use) *big.Rat { return big.NewRat(4, 5) }
		w.all(bills.AnotherPrice)
	}},
	{"another price from the seventh day", bills.AnotherPrice, func(w *world) { w.priced(1, 6, big.NewRat(13, 10)) }},
	{"a batch price", bills.AnotherPrice, func(w *world) { w.priced(0, 0, big.NewRat(1, 2)) }},
	{"a batch price on three days", bills.AnotherPrice, func(w *world) { w.pricedOn(0, big.NewRat(1, 2), 2, 5, 6) }},
	{"another price on two days", bills.AnotherPrice, func(w *world) { w.pricedOn(2, big.NewRat(3, 1), 4, 5) }},
	{"missing calls of rounded items", bills.MissingCalls, func(w *world) {
		w.rounding = 6
		w.calls = w.without(w.calls, bills.MissingCalls, func(u use) bool { return u.model == 0 && u.day > 4 && w.r.IntN(2) == 0 })
	}},
	{"missing calls of a model with another price", bills.Mixed, func(w *world) {
		w.priced(1, 0, big.NewRat(6, 5))
		w.calls = w.without(w.calls, bills.Mixed, func(u use) bool { return u.model == 1 && w.r.IntN(4) == 0 })
		for cell := range w.cause {
			w.cause[cell] = bills.Mixed
		}
	}},
	{"a model of two days that lacks half of its calls", bills.MissingCalls, func(w *world) {
		w.used = slices.Clip(slices.DeleteFunc(w.used, func(u use) bool { return u.model == 0 }))
		w.bill, w.calls = w.used, w.used
		for _, day := range []int{3, 4} {
			one := use{day: day, tokens: [3]int64{60_000, 4_000, 9_000}}
			w.bill, w.calls = append(w.bill, one, one, one), append(w.calls, one, one)
			w.cause[[2]int{day, 0}] = bills.MissingCalls
		}
	}},
	{"a search fee without a model", bills.Fees, func(w *world) { w.line(4, "web search", "", bills.KindOther, "3.7") }},
	{"storage of a model", bills.Fees, func(w *world) { w.line(4, "storage", "wide", bills.KindOther, "2"); w.cause[[2]int{4, 0}] = bills.Fees }},
	{"a credit", bills.Fees, func(w *world) { w.line(9, "Credit: promotion", "", bills.KindOther, "-7.25") }},
	{"a refund of a model", bills.Fees, func(w *world) {
		w.line(7, "refund", "narrow", "input", "-1.5")
		w.cause[[2]int{7, 1}] = bills.Fees
	}},
	{"a tax", bills.Fees, func(w *world) { w.line(11, "Tax", "", "", "19.03") }},
	{"searches on both sides", "", func(w *world) { w.search(1, 1) }},
	{"a free allowance of searches", bills.Fees, func(w *world) { w.search(1, 3) }},
	{"calls at the borders of days", "", func(w *world) {
		w.calls = nil
		for _, u := range w.used {
			if u.model == 0 && u.day%3 == 1 && w.r.IntN(6) == 0 {
				w.cause[[2]int{u.day, 0}], w.cause[[2]int{u.day + 1, 0}] = bills.DayBorder, bills.DayBorder
				u.day++
			}
			w.calls = append(w.calls, u)
		}
	}},
	{"a bill that ends within its last day", bills.PartialDay, func(w *world) {
		w.partial = w.day(worldDays - 1)
		w.bill = w.without(w.bill, bills.PartialDay, func(u use) bool { return u.day == worldDays-1 && w.r.IntN(2) == 0 })
	}},
	{"calls of another organization on the last day", bills.ExtraCalls, func(w *world) {
		w.bill = w.without(w.bill, bills.ExtraCalls, func(u use) bool { return u.day == worldDays-1 && w.r.IntN(2) == 0 })
	}},
	{"calls of another organization", bills.ExtraCalls, func(w *world) {
		w.bill = w.without(w.bill, bills.ExtraCalls, func(u use) bool { return u.model == 1 && (u.day == 3 || u.day == 7) && w.r.IntN(2) == 0 })
	}},
	{"days that are counted twice", bills.ExtraCalls, func(w *world) {
		for _, u := range w.used {
			if u.day == 2 || u.day == 6 {
				w.calls = append(w.calls, u)
			}
		}
		w.onAll(bills.ExtraCalls, 2, 6)
	}},
	{"all is counted twice", bills.ExtraCalls, func(w *world) { w.calls = append(w.calls, w.used...); w.all(bills.ExtraCalls) }},
	{"unpriced calls", bills.UnpricedCalls, func(w *world) {
		w.unpriced = func(u use) bool {
			is := u.model == 1 && u.day == 5 && u.tokens[0]%2 == 0
			if is {
				w.cause[[2]int{5, 1}] = bills.UnpricedCalls
			}
			return is
		}
	}},
	{"unpriced calls in groups with others", bills.UnpricedCalls, func(w *world) {
		w.grouped = true
		w.unpriced = func(u use) bool { return u.model == 1 && u.day == 5 && u.tokens[0]%4 < 2 }
		w.cause[[2]int{5, 1}] = bills.UnpricedCalls
	}},
	{"a model without a price", bills.UnpricedCalls, func(w *world) {
		w.unpriced = func(u use) bool { return u.model == 2 }
		for day := range worldDays {
			w.cause[[2]int{day, 2}] = bills.UnpricedCalls
		}
	}},
	{"missing calls and another price", bills.Mixed, func(w *world) {
		w.priced(1, 0, big.NewRat(6, 5))
		w.calls = w.without(w.calls, bills.MissingCalls, func(u use) bool { return u.model == 0 && (u.day == 2 || u.day == 9) })
	}},
	{"missing calls and a credit", bills.Mixed, func(w *world) {
		w.calls = w.without(w.calls, bills.MissingCalls, func(u use) bool { return u.model == 0 && u.day == 2 })
		w.line(2, "Credit", "", bills.KindOther, "-3")
	}},
}

// priced sets a model's price factor from a day on.
func (w *world) priced(model, from int, factor *big.Rat) {
	w.price = func(u use) *big.Rat {
		if u.model == model && u.day >= from {
			return factor
		}
		return nil
	}
	for day := from; day < worldDays; day++ {
		w.cause[[2]int{day, model}] = bills.AnotherPrice
	}
}

// pricedOn sets a model's price factor on some days.
func (w *world) pricedOn(model int, factor *big.Rat, days ...int) {
	on := w.onDays(days...)
	w.price = func(u use) *big.Rat {
		if u.model == model && on(u) {
			return factor
		}
		return nil
	}
	for _, day := range days {
		w.cause[[2]int{day, model}] = bills.AnotherPrice
	}
}

// all sets the cause for all cells, and onAll for some days.
func (w *world) all(cause bills.Cause) {
	for day := range worldDays {
		w.onAll(cause, day)
	}
}

func (w *world) onAll(cause bills.Cause, days ...int) {
	for _, day := range days {
		for model := range names {
			w.cause[[2]int{day, model}] = cause
		}
	}
}

// search adds searches to some calls, and bills them only for every nth of these calls.
func (w *world) search(each int64, billed int) {
	w.bill, w.calls = nil, nil
	for i, u := range w.used {
		if i%5 == 0 {
			u.searches = each
		}
		w.calls = append(w.calls, u)
		if i%(5*billed) != 0 {
			u.searches = 0
		}
		w.bill = append(w.bill, u)
	}
}
