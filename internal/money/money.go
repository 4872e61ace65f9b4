// Package money formats US dollar amounts for people.
package money

import (
	"cmp"
	"math/big"
	"strings"
)

// Exact returns an amount as a fraction, or 0 if usd isn't an amount.
func Exact[T ~string](usd T) *big.Rat {
	exact, ok := new(big.Rat).SetString(string(usd))
	if !ok {
		return new(big.Rat)
	}
	return exact
}

// Format describes how to write an amount. Thousands are always separated.
type Format struct {
	Currency    string // before the digits
	Plus, Minus string // signs; an empty Minus means "-"
	// Places is the number of decimal places. If Limit is set, nonzero amounts below it
	// have at least Small places.
	Places, Small int
	Limit         *big.Rat
	// Least writes "<0.01" for a nonzero amount that would be rounded to 0.
	Least bool
}

// short has two places, and four below a dollar.
var short = Format{Places: 2, Small: 4, Limit: big.NewRat(1, 1), Least: true}

// USD formats an amount with two decimal places, or four below a dollar.
func USD[T ~string](usd T) string { return short.Text(Exact(usd)) }

// Places returns the number of decimal places that [USD] shows.
func Places(usd *big.Rat) int { return short.places(usd) }

// Text formats an amount, rounded half to even. An amount rounded to 0 has no sign.
func (f Format) Text(usd *big.Rat) string {
	places := f.places(usd)
	units := Round(usd, places)
	least := f.Least && units.Sign() == 0 && usd.Sign() != 0
	if least {
		units.SetInt64(1)
	}
	sign, less := "", ""
	switch {
	case least && usd.Sign() < 0, units.Sign() < 0:
		sign = cmp.Or(f.Minus, "-")
	case units.Sign() > 0:
		sign = f.Plus
	}
	if least {
		less = "<"
	}
	number := new(big.Rat).SetFrac(units.Abs(units), tenTo(places)).FloatString(places)
	return sign + less + f.Currency + Separated(number)
}

func (f Format) places(usd *big.Rat) int {
	if f.Limit != nil && usd.Sign() != 0 && new(big.Rat).Abs(usd).Cmp(f.Limit) < 0 {
		return max(f.Places, f.Small)
	}
	return f.Places
}

// Significant formats an amount with three significant digits, such as "0.0788" and
// "12.3".
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
	return Format{Places: places}.Text(usd)
}

// Round returns usd * 10^places as an integer, rounded half to even.
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

// Separated adds thousands separators to a plain decimal.
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
