package pricelist

import (
	"math/big"
	"strconv"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// Price is a price in USD per million tokens. The zero value is not known, which is not the same as a price of 0.
type Price struct {
	units uint64   // of 10^-12 USD
	odd   *big.Rat // instead of units, for a price that they cannot hold
	known bool
}

// pricePlaces is how many decimal places units has: with that, the cost of a token has the 18 places of decimal.Money.
const pricePlaces = 12

// ParsePrice reads a plain decimal. It reports whether text is one.
func ParsePrice(text string) (Price, bool) {
	usd, ok := decimal.ParseMoney(text)
	if !ok {
		return Price{}, false
	}
	if units, exact := usd.Units(pricePlaces); exact {
		return Price{units: units, known: true}, true
	}
	return Price{odd: usd.Rat(), known: true}, true
}

// FromFloat returns the price that is written as the shortest decimal of usd, which must be finite and not negative; nil is
// not known.
func FromFloat(usd *float64) Price {
	if usd == nil {
		return Price{}
	}
	if p, ok := ParsePrice(strconv.FormatFloat(*usd, 'f', -1, 64)); ok {
		return p
	}
	return Price{odd: decimal.FromFloat(*usd), known: true} // an exponent that would be a long row of zeros
}

// FromCentsPer100MTok returns a price that is listed in US cents per 100 million tokens, which must not be negative.
func FromCentsPer100MTok(cents int64) Price {
	return Price{odd: big.NewRat(cents, 10_000), known: true}.reduced()
}

// reduced returns p in units where they can hold it.
func (p Price) reduced() Price {
	if q, ok := ParsePrice(string(p.Append(nil))); ok {
		return q
	}
	return p
}

// Near reports whether two known prices differ by less than 0.001 USD, which is what Google truncates.
func (p Price) Near(q Price) bool {
	if !p.known || !q.known {
		return false
	}
	apart := new(big.Rat).Sub(p.money().Rat(), q.money().Rat())
	return apart.Abs(apart).Cmp(big.NewRat(1, 1000)) < 0
}

// Known reports whether the price is known.
func (p Price) Known() bool { return p.known }

// Float64 returns the nearest float64, nil for a price that is not known.
func (p Price) Float64() *float64 {
	if !p.known {
		return nil
	}
	const exactInteger, unit = 1 << 53, 1e12 // the quotient of two exact floats is rounded once
	f := float64(p.units) / unit
	if p.odd != nil || p.units > exactInteger {
		f = p.money().Float64()
	}
	return &f
}

// String returns the price as a plain decimal.
func (p Price) String() string { return string(p.Append(nil)) }

// Append appends the price as a plain decimal.
func (p Price) Append(text []byte) []byte { return p.money().Append(text) }

// Times returns the price times a factor.
func (p Price) Times(f Factor) Price {
	if f == Whole {
		return p
	}
	if p.odd == nil && p.units < 1<<63/maxFactor && p.units*uint64(f)%factorUnit == 0 {
		p.units = p.units * uint64(f) / factorUnit
		return p
	}
	return Price{odd: new(big.Rat).Mul(p.money().Rat(), big.NewRat(int64(f), factorUnit)), known: p.known} //nolint:gosec // a factor is at most maxFactor
}

// Cost returns the cost of a number of tokens, which must not be negative.
func (p Price) Cost(tokens int64) decimal.Money {
	if p.odd == nil {
		return decimal.Product(p.units, uint64(tokens)) //nolint:gosec // counts are not negative
	}
	cost := new(big.Rat).SetFrac64(tokens, 1_000_000)
	return decimal.FromRat(cost.Mul(cost, p.odd))
}

func (p Price) money() decimal.Money {
	if p.odd == nil {
		return decimal.Product(p.units, 1_000_000)
	}
	return decimal.FromRat(p.odd)
}
