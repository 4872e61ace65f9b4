package bills

import (
	"math/big"
	"slices"
)

// price is a token kind's billed price. If the bill has neither quantities nor kinds,
// it's a factor on the counted cost.
type price struct {
	byDay map[*kind]*big.Rat
	// usual is the price on other days, unless it's unknown there.
	usual   *big.Rat
	unknown map[*kind]bool
	stated  bool // from quantities
}

func (p *price) of(billed *kind) *big.Rat {
	if own := p.byDay[billed]; own != nil {
		return own
	}
	return p.usual
}

// prices omits kinds without a price.
func (m model) prices() map[string]*price {
	all, kinds, stated := map[string]*price{}, map[string]bool{}, false
	for _, c := range m {
		for name := range c.billedKinds {
			kinds[name] = true
		}
	}
	for name := range kinds {
		var p *price
		if name != KindTokens {
			p = m.statedPrice(name)
		}
		if p == nil {
			p = m.sharedPrice(name)
		}
		if p != nil {
			all[name], stated = p, stated || p.stated
		}
	}
	if !stated && !m.trusts(all) {
		return nil
	}
	return all
}

// statedPrice computes the price from billed quantities, also for days that lack them.
// It returns nil if the bill has no quantities.
func (m model) statedPrice(name string) *price {
	p, all := &price{byDay: map[*kind]*big.Rat{}, stated: true}, new(kind)
	for _, c := range m {
		k := c.billedKinds[name]
		if k == nil || k.unknown {
			continue
		}
		if k.tokens.Sign() > 0 {
			p.byDay[k] = quo(&k.usd, &k.tokens)
		}
		all.usd.Add(&all.usd, &k.usd)
		all.tokens.Add(&all.tokens, &k.tokens)
	}
	if all.tokens.Sign() <= 0 {
		return nil
	}
	p.usual = quo(&all.usd, &all.tokens)
	return p
}

// micro is the rounding in a line item. Prices within tolerance are the same.
var (
	micro     = big.NewRat(1, 1_000_000)
	tolerance = big.NewRat(1, 10_000)
)

type billedDay struct {
	billed       *kind
	price, slack *big.Rat
}

// sharedPrice returns the ratio between amount and counted tokens on most days, or nil
// if no two days agree.
//
// Days with another price keep it if at least three agree, unless it's half or twice the
// usual price, which suggests that calls were counted twice. Two or more days that agree,
// but don't keep their price, get none.
func (m model) sharedPrice(name string) *price {
	var days []billedDay
	for _, c := range m {
		billed, n := c.billedKinds[name], c.countedOf(name)
		if billed != nil && billed.usd.Sign() != 0 && n.Sign() > 0 && c.unpriced == 0 {
			days = append(days, billedDay{billed, quo(&billed.usd, n), quo(micro, n)})
		}
	}
	groups := group(days)
	if len(groups) == 0 || len(groups[0]) == 1 {
		return nil
	}
	p := &price{byDay: map[*kind]*big.Rat{}, unknown: map[*kind]bool{}, usual: groups[0][len(groups[0])/2].price}
	for i, same := range groups {
		for _, d := range same {
			switch two := big.NewRat(2, 1); {
			case i == 0, len(same) > 2 && !near(mul(d.price, two), p.usual, d.slack) && !near(d.price, mul(p.usual, two), d.slack):
				p.byDay[d.billed] = d.price
			case len(same) > 1:
				p.unknown[d.billed] = true
			}
		}
	}
	return p
}

// group groups days by price, most days first. Ties put the highest price first.
func group(days []billedDay) (groups [][]billedDay) {
	slices.SortFunc(days, func(x, y billedDay) int { return y.price.Cmp(x.price) })
	for len(days) > 0 {
		same := 1
		for same < len(days) && near(days[0].price, days[same].price, add(days[0].slack, days[same].slack)) {
			same++
		}
		groups, days = append(groups, days[:same]), days[same:]
	}
	slices.SortStableFunc(groups, func(x, y []billedDay) int { return len(y) - len(x) })
	return groups
}

// trusts reports whether shared prices are likely to be the bill's. If they differ from
// the counted prices, three days must agree, because two days may lack the same share of
// calls. Half the counted cost isn't trusted: it may be a batch price, or calls may have
// been counted twice.
func (m model) trusts(prices map[string]*price) bool {
	half, other, few := true, false, false
	for _, p := range prices {
		few = few || len(p.byDay) < 3
	}
	for _, c := range m {
		cost, at := c.tokenCost(), new(big.Rat)
		if cost.Sign() == 0 {
			continue
		}
		for name, p := range prices {
			at.Add(at, mul(c.countedOf(name), p.usual))
		}
		half = half && near(at, quo(cost, big.NewRat(2, 1)), micro)
		other = other || !near(at, cost, micro)
	}
	return !half && !(other && few)
}

// countedOf returns the kind's counted tokens, or the token cost for KindTokens.
func (c *cell) countedOf(name string) *big.Rat {
	if name == KindTokens {
		return c.tokenCost()
	}
	if k := c.countedKinds[name]; k != nil {
		return &k.tokens
	}
	return new(big.Rat)
}

// samePrices reports whether some day has equal tokens on both sides, and all such days
// have equal amounts.
func (m model) samePrices() bool {
	same := false
	for _, c := range m {
		if c.calls == 0 || len(c.billedKinds) == 0 || !c.sameTokens() {
			continue
		}
		if !near(sub(&c.billed, &c.billedFees), c.tokenCost(), micro) {
			return false
		}
		same = true
	}
	return same
}

// near reports whether two values are equal within tolerance plus slack.
func near(a, b, slack *big.Rat) bool {
	size := abs(a)
	if abs(b).Cmp(size) > 0 {
		size = abs(b)
	}
	return abs(sub(a, b)).Cmp(add(mul(size, tolerance), slack)) <= 0
}
