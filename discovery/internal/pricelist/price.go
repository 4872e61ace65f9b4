package pricelist

import (
	"math/big"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Price is a price in USD per million tokens. nil is not known, which is not the same as a price of 0.
type Price = *decimal.Decimal

// ParsePrice reads a plain decimal; any other text is a price that is not known.
func ParsePrice(text string) Price {
	if usd, ok := decimal.ParsePlain(text); ok {
		return &usd
	}
	return nil
}

// Text returns a price as a plain decimal, "" for one that is not known.
func Text(p Price) string {
	if p == nil {
		return ""
	}
	return p.String()
}

// Float64 returns the float64 nearest to a price.
func Float64(p Price) *float64 {
	if p == nil {
		return nil
	}
	usd := p.Float64()
	return &usd
}

// near reports whether two known prices differ by less than 0.001 USD, which is what Google truncates.
func near(p, q Price) bool {
	if p == nil || q == nil {
		return false
	}
	apart := new(big.Rat).Sub(p.Rat(), q.Rat())
	return apart.Abs(apart).Cmp(big.NewRat(1, 1000)) < 0
}
