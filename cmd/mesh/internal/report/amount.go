package report

import (
	"math/big"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// places is the number of decimal places of quotients, which need not be finite decimals.
const places = 12

// quotient returns a divided by n, rounded half to even; "" for n 0.
func quotient(a decimal.Decimal, n int) prices.USD {
	if n == 0 {
		return ""
	}
	return usdOf(decimal.Round(fraction(a, n), places))
}

func usdOf(d decimal.Decimal) prices.USD { return prices.USD(d.String()) }

// fraction returns a divided by n, which must not be 0.
func fraction(a decimal.Decimal, n int) *big.Rat {
	return new(big.Rat).Quo(a.Rat(), new(big.Rat).SetInt64(int64(n)))
}

// ratio returns a divided by b; nil if b is 0.
func ratio(a, b decimal.Decimal) *float64 {
	if b.IsZero() {
		return nil
	}
	f, _ := new(big.Rat).Quo(a.Rat(), b.Rat()).Float64()
	return &f
}

// share returns the part of n in all; nil if all is 0.
func share[N int | int64](n, all N) *float64 {
	if all == 0 {
		return nil
	}
	f := float64(n) / float64(all)
	return &f
}
