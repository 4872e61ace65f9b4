// Package money formats amounts of US dollars for people. Amounts are exact decimals, and are rounded half to even.
package money

import (
	"math/big"
	"strings"
)

// cents is the number of decimal places of amounts from a dollar on; smaller ones have hundredths of a cent.
const (
	cents      = 2
	hundredths = 4
)

// Exact returns an amount as a fraction, and 0 for a text that is no amount.
func Exact[T ~string](usd T) *big.Rat {
	exact, ok := new(big.Rat).SetString(string(usd))
	if !ok {
		return new(big.Rat)
	}
	return exact
}

// Sum returns the exact sum of two amounts.
func Sum(a, b string) string {
	total := new(big.Rat).Add(Exact(a), Exact(b))
	places, _ := total.FloatPrec()
	return total.FloatString(places)
}

// USD returns an amount in cents, or below a dollar in hundredths of a cent.
func USD[T ~string](usd T) string { return Column(Exact(usd), Places(Exact(usd))) }

// Places returns the number of decimal places of [USD].
func Places(usd *big.Rat) int {
	if new(big.Rat).Abs(usd).Cmp(big.NewRat(1, 1)) < 0 && usd.Sign() != 0 {
		return hundredths
	}
	return cents
}

// Column returns an amount with a number of decimal places that all amounts of a column have. One that would be 0 is "<0.0001".
func Column(usd *big.Rat, places int) string {
	text := Text(usd, places)
	if usd.Sign() > 0 && Round(usd, places).Sign() == 0 {
		return "<" + text[:len(text)-1] + "1"
	}
	return text
}

// About returns an estimate: from 100 dollars on without cents.
func About[T ~string](usd T) string {
	const whole = 100
	if Exact(usd).Cmp(big.NewRat(whole, 1)) >= 0 {
		return Text(Exact(usd), 0)
	}
	return USD(usd)
}

// Significant returns an amount with three digits that are not leading zeros, such as "0.0788" and "12.3".
func Significant(usd *big.Rat) string {
	const digits = 3
	if usd.Sign() == 0 {
		return "0"
	}
	places, ten := digits-1, big.NewRat(10, 1)
	for limit := big.NewRat(10, 1); usd.Cmp(limit) >= 0 && places > 0; places-- {
		limit.Mul(limit, ten)
	}
	for limit := big.NewRat(1, 1); usd.Cmp(limit) < 0 && places < 12; places++ {
		limit.Quo(limit, ten)
	}
	return Text(usd, places)
}

// Text returns an amount with a number of decimal places, and with separators of thousands.
func Text(usd *big.Rat, places int) string {
	return Separated(new(big.Rat).SetFrac(Round(usd, places), tenTo(places)).FloatString(places))
}

// Round returns an amount in units of the last of its decimal places, rounded half to even.
func Round(usd *big.Rat, places int) *big.Int {
	scaled := new(big.Int).Mul(usd.Num(), tenTo(places))
	units, rest := new(big.Int).QuoRem(scaled, usd.Denom(), new(big.Int)) // towards 0
	twice := rest.Abs(rest).Lsh(rest, 1)
	if c := twice.Cmp(usd.Denom()); c > 0 || (c == 0 && units.Bit(0) == 1) {
		units.Add(units, big.NewInt(int64(usd.Sign())))
	}
	return units
}

func tenTo(places int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
}

// Separated returns a plain decimal with separators of thousands.
func Separated(number string) string {
	const group = 3
	digits, negative := strings.CutPrefix(number, "-")
	whole, _, _ := strings.Cut(digits, ".")
	for i := len(whole) - group; i > 0; i -= group {
		digits = digits[:i] + "," + digits[i:]
	}
	if negative {
		return "-" + digits
	}
	return digits
}
