package prices

import "github.com/mesh-gateway/mesh-go/internal/decimal"

// USD is an exact amount in US dollars: a plain decimal such as "0.0345", negative for
// a credit. "" is an unknown amount, as is any string that isn't a plain decimal. Only
// "0" is nothing.
type USD string

// Add returns u + v, or "" if one of them is unknown.
func (u USD) Add(v USD) USD { return u.with(v, decimal.Decimal.Add) }

// Sub returns u - v, or "" if one of them is unknown.
func (u USD) Sub(v USD) USD { return u.with(v, decimal.Decimal.Sub) }

func (u USD) with(v USD, combine func(a, b decimal.Decimal) decimal.Decimal) USD {
	a, known := decimal.ParseText(u)
	b, alsoKnown := decimal.ParseText(v)
	if !known || !alsoKnown {
		return ""
	}
	return USD(combine(a, b).String())
}

// Cmp returns -1 if u is less than v, 0 if they are equal, and 1 if u is more. An
// unknown amount is less than any other.
func (u USD) Cmp(v USD) int {
	a, known := decimal.ParseText(u)
	b, alsoKnown := decimal.ParseText(v)
	switch {
	case known && alsoKnown:
		return a.Cmp(b)
	case known:
		return 1
	case alsoKnown:
		return -1
	}
	return 0
}

// Float64 returns the nearest float64, for display and statistics, or 0 if u is
// unknown.
func (u USD) Float64() float64 { return decimal.FromText(u).Float64() }

// UnmarshalText accepts a plain decimal or nothing. Anything else, such as "1e3", is a
// [*ValueError].
func (u *USD) UnmarshalText(text []byte) error {
	if _, ok := decimal.ParseText(string(text)); !ok && len(text) > 0 {
		return invalid("USD", "", "must be a plain decimal such as 0.0345")
	}
	*u = USD(text)
	return nil
}
