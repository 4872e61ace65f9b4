package decimal

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// amount is an exact decimal, units / 10^places; the zero value is 0. Amounts are added up as they came and turned into a
// float64 once, at the end: a thousand times 0.1 in binary is not 100.
type Amount struct {
	units  big.Int
	places int
}

// What an amount may look like. The least that OpenAI's decimals can hold is 1E-6176 (WIRE.md section 2); what is beyond
// these bounds is no money, and must not cost gigabytes before that is found out.
const (
	mostWholeDigits = 30
	mostPlaces      = 6250
	longestAmount   = 2 * mostPlaces
)

var errNoAmount = errors.New("the amount is beyond what can be read")

// parse reads a JSON number exactly into a, which has to be 0 before; that it is a number, the decoder has seen to. A zero
// is one whatever its exponent is, as in 0E-6176.
func (a *Amount) Parse(number json.Number) error {
	text, negative := strings.CutPrefix(string(number), "-")
	mantissa, exponent := text, "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return nil
	}
	shift, err := strconv.Atoi(exponent)
	if err != nil || len(mantissa) > longestAmount || shift < -longestAmount || shift > longestAmount {
		return errNoAmount
	}
	places := len(fraction) - shift
	if places > mostPlaces || len(digits)-places > mostWholeDigits {
		return errNoAmount
	}
	a.places = max(places, 0)
	if small, err := strconv.ParseUint(digits, 10, 64); err == nil {
		a.units.SetUint64(small) // nearly always, and quicker
	} else {
		a.units.SetString(digits, 10)
	}
	if places < 0 {
		a.units.Mul(&a.units, tenTo(-places))
	}
	if negative {
		a.units.Neg(&a.units)
	}
	return nil
}

// add adds b to a.
func (a *Amount) Add(b *Amount) {
	addend := &b.units
	if a.places < b.places {
		a.units.Mul(&a.units, tenTo(b.places-a.places))
		a.places = b.places
	} else if a.places > b.places {
		addend = new(big.Int).Mul(addend, tenTo(a.places-b.places))
	}
	a.units.Add(&a.units, addend)
}

// rat is a as a fraction.
func (a *Amount) Rat() *big.Rat { return new(big.Rat).SetFrac(&a.units, tenTo(a.places)) }

// float is the float64 that is nearest to a. A quotient of two floats that are exact is rounded once, as it should be, so
// nearly every amount is spared the way over a fraction.
func (a *Amount) Float64() float64 {
	const exactInteger, exactPower = 53, 22
	if a.units.BitLen() <= exactInteger && a.places <= exactPower {
		return float64(a.units.Int64()) / math.Pow10(a.places)
	}
	f, _ := a.Rat().Float64()
	return f
}

func tenTo(n int) *big.Int {
	if n > 18 {
		return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	}
	power := int64(1) // holds 18 zeros, and nearly every amount has fewer
	for range n {
		power *= 10
	}
	return big.NewInt(power)
}

// FromFloat is the decimal that people mean by f: 0.1, not 0.1000000000000000055. f has to be finite.
func FromFloat(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return r
}
