// This file makes bills and calls whose truth is known, for compare_test.go: calls to
// three models, the bill for them, and the counts.

package bills_test

import (
	"cmp"
	"math/big"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const worldDays = 12

// use is a call, with its tokens by kind.
type use struct {
	day, model int
	tokens     [3]int64
	searches   int64
}

// models, token kinds, and list prices in USD
var (
	names      = [...]string{"wide", "narrow", "small"}
	tokenKinds = [...]string{"input", "cache_read", "output"}
	listed     = [...][3]*big.Rat{
		{big.NewRat(175, 1e8), big.NewRat(175, 1e9), big.NewRat(14, 1e6)},
		{big.NewRat(3, 1e6), big.NewRat(3, 1e7), big.NewRat(15, 1e6)},
		{big.NewRat(15, 1e8), big.NewRat(75, 1e9), big.NewRat(6, 1e7)},
	}
	searchUSD = big.NewRat(1, 100)
)

// style is how a provider's bill looks.
type style struct {
	name                            string
	provider                        models.Provider
	kinds, quantities, anotherNames bool
}

var styles = []style{
	{"openai", models.OpenAI, true, true, false},
	{"openai, items for all tokens", models.OpenAI, false, true, false},
	{"openai, without quantities", models.OpenAI, true, false, false},
	{"anthropic", models.Anthropic, true, false, false},
	{"google", models.Gemini, true, true, true},
	{"xai", models.XAI, false, false, false},
}

// world has the true usage. Functions change how much is billed and counted.
type world struct {
	style
	r     *rand.Rand
	used  []use
	from  time.Time
	bill  []use // billed at the price
	calls []use // counted at the list price
	// price is the billed price's factor, nil for 1. unpriced calls have an unknown cost.
	price    func(use) *big.Rat
	unpriced func(use) bool
	grouped  bool // calls with the same day and model are one group, with all their tokens
	// lines are other line items. rounding is the number of decimal places in all items.
	lines    []bills.Item
	rounding int
	// partial is the bill's PartialDay.
	partial string
	// cause has the cause for each cell that differs.
	cause map[[2]int]bills.Cause
}

func newWorld(s style, seed uint64) *world {
	w := &world{
		style: s, r: rand.New(rand.NewPCG(seed, 7)), from: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), rounding: 18, cause: map[[2]int]bills.Cause{},
		price: func(use) *big.Rat { return nil }, unpriced: func(use) bool { return false },
	}
	for day := range worldDays {
		for model := range names {
			for range 5 + w.r.IntN(8) {
				w.used = append(w.used, use{day: day, model: model, tokens: [3]int64{500 + w.r.Int64N(90_000), w.r.Int64N(60_000), 100 + w.r.Int64N(20_000)}})
			}
		}
	}
	w.used = slices.Clip(w.used)
	w.bill, w.calls = w.used, w.used
	return w
}

func (w *world) day(n int) string { return w.from.AddDate(0, 0, n).Format(time.DateOnly) }

// without returns the uses that aren't dropped, and sets the cause for the others' cells.
func (w *world) without(uses []use, cause bills.Cause, drop func(use) bool) (kept []use) {
	for _, u := range uses {
		if drop(u) {
			w.cause[[2]int{u.day, u.model}] = cause
		} else {
			kept = append(kept, u)
		}
	}
	return kept
}

func decimalOf[T ~string](usd T) *big.Rat {
	r, ok := new(big.Rat).SetString(string(usd))
	if !ok {
		panic(usd)
	}
	return r
}

// usd returns the list price for a kind's tokens.
func (u *use) usd(kind int) *big.Rat {
	tokens := new(big.Rat).SetInt64(u.tokens[kind])
	return tokens.Mul(tokens, listed[u.model][kind])
}

func (u *use) fees() *big.Rat {
	n := new(big.Rat).SetInt64(u.searches)
	return n.Mul(n, searchUSD)
}

// items returns the bill's line items.
func (w *world) items() []bills.Item {
	type key struct{ day, model, kind int }
	type sum struct {
		usd    big.Rat
		tokens int64
	}
	sums, all := map[key]*sum{}, append([]bills.Item{}, w.lines...)
	for _, u := range w.bill {
		for kind := range tokenKinds {
			at := key{u.day, u.model, kind}
			if !w.kinds {
				at.kind = 0
			}
			if sums[at] == nil {
				sums[at] = new(sum)
			}
			usd := u.usd(kind)
			if factor := w.price(u); factor != nil {
				usd.Mul(usd, factor)
			}
			sums[at].usd.Add(&sums[at].usd, usd)
			sums[at].tokens += u.tokens[kind]
		}
		if u.searches > 0 {
			all = append(all, bills.Item{Day: w.day(u.day), Name: "web search", Kind: bills.KindOther, USD: prices.USD(u.fees().FloatString(2))})
		}
	}
	for at, s := range sums {
		item := bills.Item{Day: w.day(at.day), Model: names[at.model], Kind: bills.KindTokens, USD: prices.USD(s.usd.FloatString(w.rounding))}
		if w.kinds {
			item.Kind = tokenKinds[at.kind]
		}
		if w.quantities {
			item.Tokens = &s.tokens
		}
		item.Name = item.Model + ", " + item.Kind
		all = append(all, item)
	}
	return all
}

// counted returns the calls as groups: one for each call, or if grouped is set, by day
// and model.
func (w *world) counted() (all []calls.Group) {
	for _, u := range w.calls {
		c := calls.Group{Names: byDay, Values: []string{w.day(u.day), names[u.model]}, Calls: 1, Usage: prices.Usage{Input: u.tokens[0], CacheRead: u.tokens[1], Output: u.tokens[2]}}
		if w.unpriced(u) {
			c.Unpriced = 1
		} else {
			usd := u.fees()
			c.FeesUSD = prices.USD(usd.FloatString(2))
			for kind := range tokenKinds {
				usd.Add(usd, u.usd(kind))
			}
			c.USD = prices.USD(usd.FloatString(18))
		}
		all = append(all, c)
	}
	if w.grouped {
		return grouped(all)
	}
	return all
}

// grouped returns the sums by day and model.
func grouped(each []calls.Group) (all []calls.Group) {
	for _, c := range each {
		i := slices.IndexFunc(all, func(g calls.Group) bool { return slices.Equal(g.Values, c.Values) })
		if i < 0 {
			c.USD = cmp.Or(c.USD, "0")
			all = append(all, c)
			continue
		}
		g := &all[i]
		g.Calls, g.Unpriced, g.USD = g.Calls+c.Calls, g.Unpriced+c.Unpriced, g.USD.Add(cmp.Or(c.USD, "0"))
		g.Usage.Input, g.Usage.CacheRead, g.Usage.Output = g.Usage.Input+c.Usage.Input, g.Usage.CacheRead+c.Usage.CacheRead, g.Usage.Output+c.Usage.Output
	}
	return all
}

func (w *world) compare() (*bills.Comparison, error) {
	return bills.Compare(&bills.Bill{Provider: w.provider, From: w.from, To: w.from.AddDate(0, 0, worldDays), PartialDay: w.partial, Items: w.items()}, w.counted())
}

func (w *world) line(day int, name, model, kind string, usd prices.USD) {
	w.lines = append(w.lines, bills.Item{Day: w.day(day), Name: name, Model: model, Kind: kind, USD: usd})
}
