package bills

import (
	"math/big"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// setEffects splits each cell's difference. More or fewer tokens at billed prices are
// an effect of calls, and the rest comes from prices.
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

// places rounds effects to decimal places, so they add up exactly.
const places = 12

// volume returns billed less counted tokens at billed prices, or false if unknown.
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

// names returns the kinds on both sides. If an item covers all tokens, it includes the
// counted kinds.
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

// atBorders reports whether tokens differ by day but are about the same in total.
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

// mostUnpriced limits the amount that unpriced calls explain: twice their cost at the
// most expensive day's average, or the whole bill if no call to this model has a cost.
func (m model) mostUnpriced(c *cell) *big.Rat {
	mean := m.dearest()
	if mean == nil {
		return new(big.Rat).Set(&c.billed)
	}
	return decimal.Round(mul(mean, big.NewRat(2*int64(c.unpriced), 1)), places).Rat()
}

// takeUnpriced attributes a positive amount to unpriced calls, up to most. It subtracts
// that part from most, and returns the remaining amount.
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

// dearest returns the most expensive day's average call cost, or nil without known costs.
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

// foldSmall adds effects below a millionth of a dollar, such as rounded line items, to
// the largest effect.
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

// setPartialDay handles a bill that may end within a day: if only that day has calls that
// aren't on the bill, they become PartialDay.
func setPartialDay(all map[string]model, partial string) {
	extra := map[string]*big.Rat{}
	for _, m := range all {
		for day, c := range m {
			if usd := c.effects[ExtraCalls]; usd != nil {
				sum := valueOf(extra, day, func() *big.Rat { return new(big.Rat) })
				sum.Sub(sum, usd)
			}
		}
	}
	for day, usd := range extra {
		if (usd.Cmp(cent) >= 0) != (day == partial) {
			return
		}
	}
	for _, m := range all {
		if c := m[partial]; c != nil && c.effects[ExtraCalls] != nil {
			c.effect(PartialDay, c.effects[ExtraCalls])
			delete(c.effects, ExtraCalls)
		}
	}
}
