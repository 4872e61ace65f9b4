package bills

import (
	"math/big"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// setEffects splits the difference of each cell. The amount of more or fewer tokens at billed prices is an effect of calls, and the rest
// is one of prices.
func (m model) setEffects() {
	calls := 0
	for _, c := range m {
		calls += c.calls
	}
	prices := m.prices()
	border := m.atBorders(prices)
	for _, c := range m {
		c.effect(Fees, c.fees())
		usd := c.tokens()
		if calls == 0 {
			c.effect(NotCountedModel, usd)
			continue
		}
		volume, ok := m.volume(c, prices)
		if !ok {
			c.effect(AmountDiffers, usd)
			continue
		}
		price, unpriced := sub(usd, volume), m.mostUnpriced(c)
		volume, price = c.takeUnpriced(volume, unpriced), c.takeUnpriced(price, unpriced)
		switch {
		case border:
			c.effect(DayBorder, volume)
		case volume.Sign() < 0:
			c.effect(ExtraCalls, volume)
		default:
			c.effect(MissingCalls, volume)
		}
		c.effect(AnotherPrice, price)
		c.foldSmall()
	}
}

// places are the decimal places of an effect, so that effects add up exactly.
const places = 12

// volume returns the amount of billed less counted tokens at billed prices. It reports false if that is not known.
func (m model) volume(c *cell, prices map[string]*price) (*big.Rat, bool) {
	merged := c.billedKinds[KindTokens]
	switch {
	case c.calls == 0 || len(c.billedKinds) == 0:
		return c.tokens(), true
	case c.sameTokens():
		return new(big.Rat), true
	case merged != nil && len(c.billedKinds) > 1, c.noTokens && (merged == nil || !merged.unknown):
		return nil, false
	case merged != nil && !merged.unknown:
		return c.tokens(), m.samePrices()
	}
	volume := new(big.Rat)
	for name := range c.names() {
		billed, n, p := c.billedKinds[name], c.countedOf(name), prices[name]
		if billed == nil {
			billed = new(kind)
		}
		switch {
		case p != nil && !p.unknown[billed]:
			volume.Add(volume, sub(&billed.usd, mul(n, p.of(billed))))
		case n.Sign() == 0:
			volume.Add(volume, &billed.usd)
		default:
			return nil, false
		}
	}
	return decimal.Round(volume, places).Rat(), true
}

// names returns the kinds of both sides. An item for all tokens has those of the calls.
func (c *cell) names() map[string]bool {
	names := map[string]bool{}
	for name := range c.billedKinds {
		names[name] = true
	}
	if !names[KindTokens] {
		for name := range c.countedKinds {
			names[name] = true
		}
	}
	return names
}

// atBorders reports whether the tokens of all days are about the same on both sides, although those of days differ.
func (m model) atBorders(prices map[string]*price) bool {
	net, gross := new(big.Rat), new(big.Rat)
	for _, c := range m {
		volume, ok := m.volume(c, prices)
		if c.unpriced > 0 || !ok {
			return false
		}
		net.Add(net, volume)
		gross.Add(gross, abs(volume))
	}
	return mul(abs(net), big.NewRat(20, 1)).Cmp(gross) <= 0
}

// mostUnpriced returns what unpriced calls explain: twice the cost of as many calls on the dearest day, and all of the bill if no call of the
// model has a cost.
func (m model) mostUnpriced(c *cell) *big.Rat {
	mean := m.dearest()
	if mean == nil {
		return new(big.Rat).Set(&c.billed)
	}
	return decimal.Round(mul(mean, big.NewRat(2*int64(c.unpriced), 1)), places).Rat()
}

// takeUnpriced adds the part of a positive amount that unpriced calls explain, which it takes from most, and returns the rest. It is an
// amount of calls if their tokens were not counted, and else one of prices.
func (c *cell) takeUnpriced(usd, most *big.Rat) *big.Rat {
	if c.unpriced == 0 || usd.Sign() <= 0 {
		return usd
	}
	part := new(big.Rat).Set(usd)
	if most.Cmp(usd) < 0 {
		part.Set(most)
	}
	c.effect(UnpricedCalls, part)
	most.Sub(most, part)
	return sub(usd, part)
}

// dearest returns the cost of a call on the dearest day; nil if no call has a known cost.
func (m model) dearest() (most *big.Rat) {
	for _, c := range m {
		if priced := c.calls - c.unpriced; priced > 0 {
			if mean := quo(&c.counted, big.NewRat(int64(priced), 1)); most == nil || mean.Cmp(most) > 0 {
				most = mean
			}
		}
	}
	return most
}

// foldSmall adds effects below a millionth of a dollar, such as roundings of a line item, to the largest one.
func (c *cell) foldSmall() {
	largest, small := Cause(""), new(big.Rat)
	for _, e := range c.sorted() {
		usd := c.effects[e]
		if largest == "" {
			largest = e
		} else if abs(usd).Cmp(micro) < 0 {
			small.Add(small, usd)
			delete(c.effects, e)
		}
	}
	if small.Sign() != 0 {
		c.effect(largest, small)
	}
}

// setPartialDay takes the calls that are not on the bill for those of a bill that ends within its last day, if only that day has some.
func setPartialDay(all map[string]model) {
	extra, last := map[string]*big.Rat{}, ""
	for _, m := range all {
		for day, c := range m {
			if len(c.billedKinds) > 0 {
				last = max(last, day)
			}
			if usd := c.effects[ExtraCalls]; usd != nil {
				sum := valueOf(extra, day, func() *big.Rat { return new(big.Rat) })
				sum.Sub(sum, usd)
			}
		}
	}
	for day, usd := range extra {
		if (usd.Cmp(cent) >= 0) != (day == last) {
			return
		}
	}
	for _, m := range all {
		if c := m[last]; c != nil && c.effects[ExtraCalls] != nil {
			c.effect(PartialDay, c.effects[ExtraCalls])
			delete(c.effects, ExtraCalls)
		}
	}
}
