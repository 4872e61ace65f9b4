// Package decimal calculates with exact amounts of money. They stay decimal until a
// single conversion to float64 at the end: added in binary, a thousand times 0.1 isn't
// 100.
package decimal

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/money"
)

// Decimal is an exact decimal, units / 10^places. The zero value is 0. Units that fit in
// 64 bits, as nearly all do, need no allocation.
type Decimal struct {
	small  int64    // units, unless large is set
	large  *big.Int // never modified
	places int
}

// Limits for parsed decimals. OpenAI's amounts go down to 1E-6176. Beyond these limits a
// number isn't money, and could take gigabytes of memory.
const (
	maxWholeDigits = 30
	maxPlaces      = 6250
	maxLength      = 2 * maxPlaces
)

var (
	errSyntax = errors.New("the amount is not a number")
	errRange  = errors.New("the amount is out of range")
)

// number matches a JSON number.
var number = regexp.MustCompile(`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$`)

// New returns units / 10^places.
func New(units int64, places int) Decimal { return Decimal{small: units, places: places} }

// Parse parses a JSON number exactly. A zero may have any exponent, as in 0E-6176.
func Parse(text string) (Decimal, error) {
	if len(text) > maxLength {
		return Decimal{}, errRange
	}
	if !number.MatchString(text) {
		return Decimal{}, errSyntax
	}
	return Read(json.Number(text))
}

// ParsePlain parses digits with an optional fraction, as in "0.0345".
func ParsePlain[T ~string](usd T) (Decimal, bool) {
	text := string(usd)
	if d, ok := readShort(text); ok || text == "" {
		return d, ok
	}
	whole, fraction, dotted := strings.Cut(text, ".")
	if len(text) > maxLength || !allDigits(whole) || (dotted && !allDigits(fraction)) {
		return Decimal{}, false
	}
	d, err := readLong(text)
	return d, err == nil
}

// FromText is [ParseText] with 0 for invalid input.
func FromText[T ~string](usd T) Decimal {
	d, _ := ParseText(usd)
	return d
}

// ParseText parses output from [Decimal.String]. Unlike for [ParsePlain], it may be
// negative, and have any number of whole digits.
func ParseText[T ~string](usd T) (Decimal, bool) {
	text := string(usd)
	if d, ok := ParsePlain(text); ok { // nearly all are plain, and that saves an allocation
		return d, true
	}
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, dotted := strings.Cut(digits, ".")
	if len(text) > maxLength || !allDigits(whole) || dotted && !allDigits(fraction) {
		return Decimal{}, false
	}
	units, ok := new(big.Int).SetString(whole+fraction, 10)
	if negative && ok {
		units.Neg(units)
	}
	return fromBig(units, len(fraction)), ok
}

func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// Read is [Parse] for a number that a JSON decoder has already validated.
func Read(n json.Number) (Decimal, error) {
	text, negative := strings.CutPrefix(string(n), "-")
	d, ok := readShort(text)
	if !ok {
		var err error
		if d, err = readLong(text); err != nil {
			return Decimal{}, err
		}
	}
	if negative {
		d = d.Neg()
	}
	return d, nil
}

// readShort reads at most 18 characters: digits with an optional fraction.
func readShort(text string) (d Decimal, ok bool) {
	const longest = 18
	point := len(text) - 1
	if len(text) > longest {
		return Decimal{}, false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			d.small = d.small*10 + int64(c-'0')
		case c == '.' && 0 < i && i < point:
			point = i
		default:
			return Decimal{}, false
		}
	}
	if d.small != 0 {
		d.places = len(text) - 1 - point
	}
	return d, text != ""
}

// readLong reads any number without a sign.
func readLong(text string) (Decimal, error) {
	mantissa, exponent := text, "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return Decimal{}, nil
	}
	shift, err := strconv.Atoi(exponent)
	if err != nil || len(mantissa) > maxLength || shift < -maxLength || shift > maxLength {
		return Decimal{}, errRange
	}
	places := len(fraction) - shift
	if places > maxPlaces || len(digits)-places > maxWholeDigits {
		return Decimal{}, errRange
	}
	units, _ := new(big.Int).SetString(digits, 10)
	return fromBig(units, max(places, 0)).scaled(max(-places, 0)), nil
}

func fromBig(units *big.Int, places int) Decimal {
	if units.IsInt64() {
		return New(units.Int64(), places)
	}
	return Decimal{large: units, places: places}
}

func (d Decimal) units() *big.Int {
	if d.large != nil {
		return d.large
	}
	return big.NewInt(d.small)
}

// IsZero reports whether d is 0.
func (d Decimal) IsZero() bool { return d.large == nil && d.small == 0 }

// Shift divides d by 10^places: Shift(2) turns cents into dollars.
func (d Decimal) Shift(places int) Decimal {
	d.places += places
	return d
}

// scaled multiplies d by 10^n and keeps its places.
func (d Decimal) scaled(n int) Decimal {
	const largest = 18 // 10^18 fits in 64 bits
	power := Decimal{}
	if n <= largest {
		power.small = 1
		for range n {
			power.small *= 10
		}
	} else {
		power.large = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	}
	return d.Mul(power)
}

// Mul returns d times e.
func (d Decimal) Mul(e Decimal) Decimal {
	places := d.places + e.places
	if d.large == nil && e.large == nil {
		if high, low := bits.Mul64(magnitude(d.small), magnitude(e.small)); high == 0 && low <= math.MaxInt64 {
			return New(d.small*e.small, places)
		}
	}
	return fromBig(new(big.Int).Mul(d.units(), e.units()), places)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n) //nolint:gosec // two's complement
	}
	return uint64(n)
}

// Add returns d plus e.
func (d Decimal) Add(e Decimal) Decimal {
	switch {
	case d.IsZero():
		return e
	case e.IsZero():
		return d
	case d.places < e.places:
		d = d.scaled(e.places - d.places)
		d.places = e.places
	case e.places < d.places:
		e = e.scaled(d.places - e.places)
	}
	if sum := d.small + e.small; d.large == nil && e.large == nil && (sum > d.small) == (e.small > 0) {
		return New(sum, d.places)
	}
	return fromBig(new(big.Int).Add(d.units(), e.units()), d.places)
}

// Sub returns d minus e.
func (d Decimal) Sub(e Decimal) Decimal { return d.Add(e.Neg()) }

// Cmp returns -1, 0 or 1 if d is less than, equal to or more than e.
func (d Decimal) Cmp(e Decimal) int { return d.Sub(e).Sign() }

// Rat returns d as a fraction.
func (d Decimal) Rat() *big.Rat {
	return new(big.Rat).SetFrac(d.units(), New(1, 0).scaled(d.places).units())
}

// Float64 returns the nearest float64. Dividing two exact floats rounds once, so most
// amounts don't need a fraction.
func (d Decimal) Float64() float64 {
	const exactInteger, exactPower = 1 << 53, 22
	if d.large == nil && -exactInteger <= d.small && d.small <= exactInteger && d.places <= exactPower {
		return float64(d.small) / math.Pow10(d.places)
	}
	f, _ := d.Rat().Float64()
	return f
}

// String returns a plain decimal without trailing zeros, as in "0.0345".
func (d Decimal) String() string {
	var units, buffer [48]byte
	digits, text := units[:0], buffer[:0]
	if d.large != nil {
		digits = d.large.Append(digits, 10)
	} else {
		digits = strconv.AppendInt(digits, d.small, 10)
	}
	if digits[0] == '-' {
		text, digits = append(text, '-'), digits[1:]
	}
	whole := max(len(digits)-d.places, 0)
	if text = append(text, digits[:whole]...); whole == 0 {
		text = append(text, '0')
	}
	if d.places == 0 {
		return string(text)
	}
	text = append(text, '.')
	for range d.places - len(digits) {
		text = append(text, '0')
	}
	text = bytes.TrimRight(append(text, digits[whole:]...), "0")
	return string(bytes.TrimSuffix(text, []byte(".")))
}

// FromFloat returns the shortest decimal that converts to f: 0.1, not
// 0.1000000000000000055. If f is infinite or NaN, it returns an error.
func FromFloat(f float64) (*big.Rat, error) {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok {
		return nil, errRange
	}
	return r, nil
}

// Text returns a plain decimal without trailing zeros. r must have a finite decimal, as
// sums of prices do.
func Text(r *big.Rat) string {
	places, _ := r.FloatPrec()
	return r.FloatString(places)
}

// Round rounds half to even.
func Round(r *big.Rat, places int) Decimal {
	return fromBig(money.Round(r, places), places)
}

// Sign returns -1, 0 or 1 if d is negative, 0 or positive.
func (d Decimal) Sign() int { return d.units().Sign() }

// Neg returns -d.
func (d Decimal) Neg() Decimal { return d.Mul(New(-1, 0)) }
