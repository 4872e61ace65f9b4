package bills

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// cent is the smallest sum of effects that has a cause.
var cent = big.NewRat(1, 100)

// Compare compares a bill with calls. They must be those of the bill: of its provider and its time, not on other platforms, and not of a
// subscription. The error is a [*ValueError].
func Compare(b *Bill, counted []Counted) (*Comparison, error) {
	if err := check(b, counted); err != nil {
		return nil, err
	}
	provider, _ := models.ParseProvider(string(b.Provider))
	c := &Comparison{Provider: provider, From: b.From.UTC(), To: b.To.UTC(), LimitPercent: cmp.Or(b.LimitPercent, DefaultLimitPercent)}
	all, byModel := cells(b, counted)
	c.OtherItems = []string{}
	if byModel {
		c.OtherItems = b.others()
	}
	for _, m := range all {
		m.setEffects()
	}
	setPartialDay(all)
	days, total := map[string]*cell{}, newCell()
	c.Days, c.Models, c.Cells = []Part{}, []Part{}, []Part{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		sum := newCell()
		for day, one := range all[name] {
			valueOf(days, day, newCell).add(one)
			sum.add(one)
			c.Cells = append(c.Cells, one.part(day, name))
		}
		total.add(sum)
		if byModel && name != "" {
			c.Models = append(c.Models, sum.part("", name))
		}
	}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		c.Days = append(c.Days, days[day].part(day, ""))
	}
	slices.SortFunc(c.Cells, func(x, y Part) int {
		return cmp.Or(abs(rat(y.Drift)).Cmp(abs(rat(x.Drift))), cmp.Compare(x.Day, y.Day), cmp.Compare(x.Model, y.Model))
	})
	c.Total, c.Calls = total.part("", ""), total.calls
	c.setRange(total, all)
	return c, nil
}

// others returns the names of the items without a model.
func (b *Bill) others() []string {
	names := map[string]bool{}
	for i := range b.Items {
		if item := &b.Items[i]; item.Model == "" && rat(item.USD).Sign() != 0 {
			names[item.Name] = true
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(names))...)
}

// setRange sets where the difference lies, and whether that is within the limit.
func (c *Comparison) setRange(total *cell, all map[string]model) {
	high := sub(&total.billed, &total.counted)
	low := new(big.Rat).Set(high)
	if total.unpriced > 0 {
		var dearest *big.Rat
		for _, m := range all {
			if mean := m.dearest(); mean != nil && (dearest == nil || mean.Cmp(dearest) > 0) {
				dearest = mean
			}
		}
		if dearest == nil {
			return
		}
		low.Sub(low, decimal.Round(mul(dearest, big.NewRat(int64(total.unpriced), 1)), places).Rat())
	}
	c.Range = Range{LowUSD: exact(low), HighUSD: exact(high)}
	if total.calls == 0 || total.billed.Sign() == 0 {
		return
	}
	limit := new(big.Rat).SetFloat64(c.LimitPercent)
	limit.Mul(limit, quo(abs(&total.billed), big.NewRat(100, 1)))
	least := new(big.Rat).Neg(limit)
	c.Within = low.Cmp(least) >= 0 && high.Cmp(limit) <= 0
	c.Known = c.Within || low.Cmp(limit) > 0 || high.Cmp(least) < 0
}

// part returns the cell as a part of a comparison.
func (c *cell) part(day, model string) Part {
	name := day
	if day != "" && model != "" {
		name += " "
	}
	p := Part{
		Name: name + model, Day: day, Model: model, Unpriced: c.unpriced, Effects: []Effect{}, Cause: c.cause(),
		Billed: exact(&c.billed), Counted: exact(&c.counted), Drift: exact(sub(&c.billed, &c.counted)),
	}
	for _, cause := range c.sorted() {
		if usd := c.effects[cause]; usd.Sign() != 0 {
			p.Effects = append(p.Effects, Effect{cause, exact(usd)})
		}
	}
	return p
}

// sorted returns the causes of the effects, the largest first.
func (c *cell) sorted() []Cause {
	return slices.SortedFunc(maps.Keys(c.effects), func(x, y Cause) int {
		return cmp.Or(abs(c.effects[y]).Cmp(abs(c.effects[x])), cmp.Compare(x, y))
	})
}

// cause returns the cause that has nine tenths of the effects.
func (c *cell) cause() Cause {
	all := new(big.Rat)
	for _, usd := range c.effects {
		all.Add(all, abs(usd))
	}
	hasTenths := func(cause Cause, n int64) bool {
		return c.effects[cause] != nil && abs(c.effects[cause]).Cmp(mul(all, big.NewRat(n, 10))) >= 0
	}
	if all.Cmp(cent) < 0 {
		return ""
	}
	switch first := c.sorted()[0]; {
	case hasTenths(first, 9):
		return first
	case hasTenths(AmountDiffers, 1):
		return AmountDiffers
	}
	return Mixed
}
