package costtable

import (
	"math/big"
	"strconv"
	"strings"
)

// cents is the number of decimal places of amounts from a dollar on; smaller ones have cent-hundredths.
const (
	cents      = 2
	hundredths = 4
)

// Exact returns an amount as a fraction, and 0 for a text that is no amount.
func Exact(usd string) *big.Rat {
	exact, ok := new(big.Rat).SetString(usd)
	if !ok {
		return new(big.Rat)
	}
	return exact
}

// USD returns an amount for people: rounded half away from zero to cents, below a dollar to hundredths of a cent, with separators. An
// amount that would be 0 is "<0.0001".
func USD(usd string) string { return amount(Exact(usd), places(Exact(usd))) }

// places returns the decimal places for amounts of a size.
func places(usd *big.Rat) int {
	if new(big.Rat).Abs(usd).Cmp(big.NewRat(1, 1)) < 0 && usd.Sign() != 0 {
		return hundredths
	}
	return cents
}

func amount(usd *big.Rat, places int) string {
	text := usd.FloatString(places)
	if usd.Sign() > 0 && Exact(text).Sign() == 0 {
		return "<" + text[:len(text)-1] + "1"
	}
	return Separated(text)
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

// Count returns a whole number with separators of thousands.
func Count(n int) string { return Separated(strconv.Itoa(n)) }

// significant returns an amount with three digits that are not leading zeros, such as "0.0788" and "12.3".
func significant(usd *big.Rat) string {
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
	return Separated(usd.FloatString(places))
}
