package decimal

import (
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Money is an exact amount of 0 or more. The zero value is 0.
//
// An amount of at most 18 decimal places, which is nearly every one, is a 128-bit integer and costs no allocation. What does
// not fit is kept as a fraction beside it.
type Money struct {
	hi, lo uint64   // in units of 10^-18
	odd    *big.Rat // never modified once set
}

const (
	moneyPlaces = 18
	moneyUnit   = 1_000_000_000_000_000_000
	// maxMoneyText bounds the text of an amount.
	maxMoneyText = 512
)

// Product returns a times b units of 10^-18.
func Product(a, b uint64) Money {
	hi, lo := bits.Mul64(a, b)
	return Money{hi: hi, lo: lo}.normalized()
}

// FromRat returns r as Money. It must not be negative.
func FromRat(r *big.Rat) Money { return Money{odd: r} }

// ParseMoney reads digits with an optional fraction, as in "0.0345". It reports whether text is such an amount.
func ParseMoney(text string) (Money, bool) {
	whole, fraction, dotted := strings.Cut(text, ".")
	if len(text) > maxMoneyText || !allDigits(whole) || (dotted && !allDigits(fraction)) {
		return Money{}, false
	}
	if len(whole) <= 18 && len(fraction) <= moneyPlaces {
		units, _ := strconv.ParseUint(whole, 10, 64)
		part, _ := strconv.ParseUint(fraction, 10, 64)
		for range moneyPlaces - len(fraction) {
			part *= 10
		}
		m := Product(units, moneyUnit)
		m.Add(Money{lo: part})
		return m, true
	}
	odd, ok := new(big.Rat).SetString(text)
	return Money{odd: odd}, ok
}

func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// Add adds n to m.
func (m *Money) Add(n Money) {
	lo, carry := bits.Add64(m.lo, n.lo, 0)
	hi, over := bits.Add64(m.hi, n.hi, carry)
	if over != 0 || hi >= moneyUnit {
		m.odd = new(big.Rat).Add(m.Rat(), n.Rat())
		m.hi, m.lo = 0, 0
		return
	}
	m.hi, m.lo = hi, lo
	switch {
	case n.odd == nil:
	case m.odd == nil:
		m.odd = n.odd
	default:
		m.odd = new(big.Rat).Add(m.odd, n.odd)
	}
}

// normalized moves an amount whose whole part would not fit in 64 bits to the fraction, so that Append can divide.
func (m Money) normalized() Money {
	if m.hi < moneyUnit {
		return m
	}
	return Money{odd: m.Rat()}
}

// Units returns m in units of 10^-places, of which there are at most moneyPlaces, and reports whether they hold it exactly.
func (m Money) Units(places int) (units uint64, exact bool) {
	divisor := uint64(1)
	for range moneyPlaces - places {
		divisor *= 10
	}
	if m.odd != nil || m.hi >= divisor {
		return 0, false
	}
	units, rest := bits.Div64(m.hi, m.lo, divisor)
	return units, rest == 0
}

// Rat returns m as a fraction.
func (m Money) Rat() *big.Rat {
	units := new(big.Int).SetUint64(m.hi)
	units.Lsh(units, 64).Add(units, new(big.Int).SetUint64(m.lo))
	r := new(big.Rat).SetFrac(units, big.NewInt(moneyUnit))
	if m.odd != nil {
		r.Add(r, m.odd)
	}
	return r
}

// Append appends m as a plain decimal without trailing zeros, as in "0.0345". Every amount made of decimals has one.
func (m Money) Append(text []byte) []byte {
	if m.odd != nil {
		r := m.Rat()
		places, _ := r.FloatPrec()
		return append(text, r.FloatString(places)...)
	}
	whole, part := bits.Div64(m.hi, m.lo, moneyUnit)
	text = strconv.AppendUint(text, whole, 10)
	if part == 0 {
		return text
	}
	text = append(text, '.')
	for unit := uint64(moneyUnit / 10); part > 0; unit /= 10 {
		text = append(text, '0'+byte(part/unit)) //nolint:gosec // a digit
		part %= unit
	}
	return text
}

// String returns m as a plain decimal, as [Money.Append] writes it.
func (m Money) String() string { return string(m.Append(make([]byte, 0, 40))) }

// Float64 returns the float64 that is nearest to m.
func (m Money) Float64() float64 {
	if m.odd != nil {
		f, _ := m.Rat().Float64()
		return f
	}
	f, _ := strconv.ParseFloat(m.String(), 64)
	return f
}
