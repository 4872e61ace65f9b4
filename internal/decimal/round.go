package decimal

import (
	"math/big"

	"github.com/mesh-gateway/mesh-go/internal/money"
)

// Round returns a fraction with at most the given number of places, rounded half to even.
func Round(r *big.Rat, places int) Decimal {
	return fromBig(money.Round(r, places), places)
}

// Sign returns -1, 0 or 1 if d is negative, 0 or positive.
func (d Decimal) Sign() int { return d.Cmp(Decimal{}) }

// Neg returns -d.
func (d Decimal) Neg() Decimal { return Decimal{}.Sub(d) }
