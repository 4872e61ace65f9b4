package bills

import (
	"math/big"
	"slices"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// Decimal places: millionths are for amounts that would otherwise show as 0.
const (
	cents      = 2
	millionths = 6
)

// Rounded returns a copy for display, in cents, or in millionths if the total difference
// is below a cent. What belongs together still adds up: days and cells to the total,
// effects to their difference, and each difference is the billed less the counted amount.
// Effects below a cent are left out, and Models stay exact.
func (c *Comparison) Rounded() *Comparison {
	r := *c
	places := c.Total.places()
	r.Total = c.Total.rounded(places)
	r.Days, r.Cells = slices.Clone(c.Days), slices.Clone(c.Cells)
	divide(places, &r.Total, pointers(r.Days, ""))
	for i := range r.Days {
		divide(places, &r.Days[i], pointers(r.Cells, r.Days[i].Day))
	}
	if high := rat(c.Range.HighUSD); c.Range.HighUSD != "" {
		width := sub(high, rat(c.Range.LowUSD))
		r.Range = Range{LowUSD: exact(sub(rat(r.Total.DriftUSD), round(width, places))), HighUSD: r.Total.DriftUSD}
	}
	return &r
}

// Places returns the decimal places of the amounts in [Comparison.Rounded].
func (c *Comparison) Places() int { return c.Total.places() }

// pointers returns the parts on a day, or all if day is "".
func pointers(parts []Part, day string) (all []*Part) {
	for i := range parts {
		if day == "" || parts[i].Day == day {
			all = append(all, &parts[i])
		}
	}
	return all
}

// divide rounds parts whose sum was rounded before.
func divide(places int, sum *Part, parts []*Part) {
	var billed, drift []*big.Rat
	for _, p := range parts {
		billed, drift = append(billed, rat(p.BilledUSD)), append(drift, rat(p.DriftUSD))
	}
	billed = money.NewSheet(places).Split(rat(sum.BilledUSD), billed...)
	drift = money.NewSheet(places).Split(rat(sum.DriftUSD), drift...)
	for i := range parts {
		billed[i], drift[i] = round(billed[i], places), round(drift[i], places)
	}
	settle(places, parts, billed, drift)
	for i, p := range parts {
		*p = p.with(billed[i], drift[i], places)
	}
}

// settle moves units between parts, whose sums stay, until each counted amount is less
// than a unit off. Otherwise it could be negative for no calls, because billed amounts
// and drift were rounded apart.
func settle(places int, parts []*Part, billed, drift []*big.Rat) {
	unit := cent
	if places == millionths {
		unit = micro
	}
	off := func(i int) *big.Rat { return sub(sub(billed[i], drift[i]), rat(parts[i].CountedUSD)) }
	for i := range parts {
		for j := range parts {
			excess := off(i)
			if abs(excess).Cmp(unit) < 0 {
				break
			}
			opposite := -excess.Sign()
			switch step := mul(unit, big.NewRat(int64(excess.Sign()), 1)); {
			case off(j).Sign() != opposite:
			case sub(billed[j], rat(parts[j].BilledUSD)).Sign() == opposite:
				billed[i], billed[j] = sub(billed[i], step), add(billed[j], step)
			default:
				drift[i], drift[j] = add(drift[i], step), sub(drift[j], step)
			}
		}
	}
}

// rounded rounds a part on its own.
func (p *Part) rounded(places int) Part {
	billed := round(rat(p.BilledUSD), places)
	return p.with(billed, sub(billed, round(rat(p.CountedUSD), places)), places)
}

// with returns p with rounded amounts.
func (p *Part) with(billed, drift *big.Rat, places int) Part {
	r := *p
	r.BilledUSD, r.DriftUSD, r.CountedUSD = exact(billed), exact(drift), exact(sub(billed, drift))
	r.Effects = []Effect{}
	var parts []*big.Rat
	for _, e := range p.Effects {
		if abs(rat(e.USD)).Cmp(cent) >= 0 {
			r.Effects, parts = append(r.Effects, e), append(parts, rat(e.USD))
		}
	}
	for i, usd := range money.NewSheet(places).Split(drift, parts...) {
		r.Effects[i].USD = exact(round(usd, places))
	}
	return r
}

func round(usd *big.Rat, places int) *big.Rat { return decimal.Round(usd, places).Rat() }

// places returns enough decimal places to show a difference.
func (p *Part) places() int {
	if drift := rat(p.DriftUSD); abs(drift).Cmp(cent) < 0 && round(drift, millionths).Sign() != 0 {
		return millionths
	}
	return cents
}
