package decimal

import "math/big"

// Round returns a fraction with at most the given number of places, rounded half to even.
func Round(r *big.Rat, places int) Decimal {
	scaled := new(big.Int).Mul(r.Num(), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	units, rest := new(big.Int).QuoRem(scaled, r.Denom(), new(big.Int)) // towards 0
	twice := rest.Abs(rest).Lsh(rest, 1)
	if c := twice.Cmp(r.Denom()); c > 0 || (c == 0 && units.Bit(0) == 1) {
		units.Add(units, big.NewInt(int64(r.Sign())))
	}
	return fromBig(units, places)
}

// Sign returns -1, 0 or 1 if d is negative, 0 or positive.
func (d Decimal) Sign() int { return d.Cmp(Decimal{}) }

// Neg returns -d.
func (d Decimal) Neg() Decimal { return Decimal{}.Sub(d) }
