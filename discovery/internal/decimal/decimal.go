// Package decimal adds up amounts of money exactly. Sums stay decimal until they are converted to float64 once, at the end:
// a thousand times 0.1 in binary is not 100.
package decimal

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Amount is an exact decimal, units / 10^places. The zero value is 0. Units that fit in 64 bits, as nearly all do, cost no
// allocation.
type Amount struct {
	small  int64    // the units, unless large is set
	large  *big.Int // never modified
	places int
}

// Bounds of an amount. OpenAI's decimals go down to 1E-6176. A number beyond these bounds is not money, and reading it could
// take gigabytes of memory.
const (
	maxWholeDigits = 30
	maxPlaces      = 6250
	maxLength      = 2 * maxPlaces
)

var (
	errSyntax = errors.New("the amount is not a number")
	errRange  = errors.New("the amount is beyond what can be read")
)

// number is the syntax of a JSON number.
var number = regexp.MustCompile(`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$`)

// Parse returns the exact value of a JSON number. A zero is valid with any exponent, as in 0E-6176.
func Parse(text string) (*Amount, error) {
	if len(text) > maxLength {
		return nil, errRange
	}
	if !number.MatchString(text) {
		return nil, errSyntax
	}
	a := new(Amount)
	return a, a.Read(json.Number(text))
}

// Read sets a, which must be 0, to a number that a JSON decoder has validated. It is [Parse] without the allocation and the
// check of the syntax.
func (a *Amount) Read(n json.Number) error {
	text, negative := strings.CutPrefix(string(n), "-")
	if units, places, ok := readPlain(text); ok {
		a.small, a.places = units, places
	} else if err := a.readLong(text); err != nil {
		return err
	}
	if negative {
		a.negate()
	}
	return nil
}

// readPlain reads a number of at most 18 characters without an exponent.
func readPlain(text string) (units int64, places int, ok bool) {
	const longest = 18
	point := -1
	for i := range len(text) {
		switch c := text[i]; {
		case c == '.':
			point = i
		case c == 'e', c == 'E', i >= longest:
			return 0, 0, false
		default:
			units = units*10 + int64(c-'0')
		}
	}
	if point >= 0 && units != 0 {
		places = len(text) - point - 1
	}
	return units, places, true
}

// readLong reads any number without a sign.
func (a *Amount) readLong(text string) error {
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
	if err != nil || len(mantissa) > maxLength || shift < -maxLength || shift > maxLength {
		return errRange
	}
	places := len(fraction) - shift
	if places > maxPlaces || len(digits)-places > maxWholeDigits {
		return errRange
	}
	a.large, _ = new(big.Int).SetString(digits, 10)
	if places < 0 {
		a.large.Mul(a.large, powerOfTen(-places))
	}
	a.places = max(places, 0)
	a.reduce()
	return nil
}

// reduce moves units that fit in 64 bits to small.
func (a *Amount) reduce() {
	if a.large != nil && a.large.IsInt64() {
		a.small, a.large = a.large.Int64(), nil
	}
}

func (a *Amount) negate() {
	if a.large != nil {
		a.large = new(big.Int).Neg(a.large)
	}
	a.small = -a.small
}

func (a *Amount) units() *big.Int {
	if a.large != nil {
		return a.large
	}
	return big.NewInt(a.small)
}

// Shift divides a by 10^places. Two places turn cents into dollars.
func (a *Amount) Shift(places int) { a.places += places }

// Rat returns a as a fraction.
func (a *Amount) Rat() *big.Rat { return new(big.Rat).SetFrac(a.units(), powerOfTen(a.places)) }

// Float64 returns the float64 nearest to a. The quotient of two exact floats is rounded once, so most amounts do not need a
// fraction.
func (a *Amount) Float64() float64 {
	const exactInteger, exactPower = 1 << 53, 22
	if a.large == nil && -exactInteger <= a.small && a.small <= exactInteger && a.places <= exactPower {
		return float64(a.small) / math.Pow10(a.places)
	}
	f, _ := a.Rat().Float64()
	return f
}

// Sum is an exact sum of amounts. The zero value is 0. Amounts with the same number of places are added up on their own and
// combined at the end: with one running total, amounts that alternate between 1 and 1E-6250 would cost a multiplication of
// thousands of digits each.
type Sum struct {
	first  Amount // of the number of places that came first, as long as its units fit in 64 bits
	others map[int]*big.Int
	begun  bool
}

// Add adds a to the sum.
func (s *Sum) Add(a *Amount) {
	if !s.begun {
		s.first.places, s.begun = a.places, true
	}
	if sum := s.first.small + a.small; a.places == s.first.places && a.large == nil && (sum > a.small) == (s.first.small > 0) {
		s.first.small = sum
		return
	}
	if s.others == nil {
		s.others = make(map[int]*big.Int)
	}
	units := s.others[a.places]
	if units == nil {
		units = new(big.Int)
		s.others[a.places] = units
	}
	units.Add(units, a.units())
}

// Merge adds another sum to the sum.
func (s *Sum) Merge(other *Sum) {
	if other.begun {
		s.Add(&other.first)
	}
	for places, units := range other.others {
		s.Add(&Amount{large: units, places: places})
	}
}

// Amount returns the value of the sum.
func (s *Sum) Amount() *Amount {
	parts := []*Amount{&s.first}
	for places, units := range s.others {
		parts = append(parts, &Amount{large: units, places: places})
	}
	slices.SortFunc(parts, func(a, b *Amount) int { return a.places - b.places })
	total, places := new(big.Int), 0
	for _, part := range parts {
		total.Mul(total, powerOfTen(part.places-places))
		total.Add(total, part.units())
		places = part.places
	}
	sum := &Amount{large: total, places: places}
	sum.reduce()
	return sum
}

// Float64 returns the float64 nearest to the sum.
func (s *Sum) Float64() float64 {
	if len(s.others) == 0 {
		return s.first.Float64()
	}
	return s.Amount().Float64()
}

// powerOfTen returns 10^n.
func powerOfTen(n int) *big.Int {
	if n > 18 {
		return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	}
	power := int64(1) // holds 18 zeros, which is enough for nearly every amount
	for range n {
		power *= 10
	}
	return big.NewInt(power)
}

// FromFloat returns the shortest decimal that converts to f: 0.1, not 0.1000000000000000055. f must be finite.
func FromFloat(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return r
}
