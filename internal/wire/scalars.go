package wire

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// String reads a JSON string. Invalid UTF-8 becomes U+FFFD, as in encoding/json.
func String[T ~string](v *T, d *Decoder) error {
	if err := d.expect(jsonread.String); err != nil {
		return err
	}
	raw, err := d.json.StrBytes()
	if err == nil {
		*v = T(jsonread.Text(raw))
	}
	return err
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

// Integer reads a JSON integer, which 5.0 and 1e3 are, too. A number that T cannot hold is an error, never rounded.
func Integer[T integer](v *T, d *Decoder) error {
	raw, err := d.number()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		n, err = strconv.ParseInt(whole(string(raw)), 10, 64)
	}
	if err != nil || int64(T(n)) != n {
		return errNotInteger
	}
	*v = T(n)
	return nil
}

// whole returns the digits of a number that has a fraction or an exponent and is an integer, or else a text without digits.
func whole(number string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	digits, fraction, _ := strings.Cut(mantissa, ".")
	digits += fraction
	if strings.Trim(digits, "-0") == "" {
		return "0"
	}
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	power -= len(fraction)
	for ; power < 0 && strings.HasSuffix(digits, "0"); power++ {
		digits = digits[:len(digits)-1]
	}
	if err != nil || power < 0 || power > len("9223372036854775807") {
		return ""
	}
	return digits + strings.Repeat("0", power)
}

// Float reads a JSON number.
func Float[T ~float32 | ~float64](v *T, d *Decoder) error {
	raw, err := d.number()
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(string(raw), reflect.TypeFor[T]().Bits())
	if err != nil {
		return errNotFloat
	}
	*v = T(f)
	return nil
}

// Bool reads true or false.
func Bool[T ~bool](v *T, d *Decoder) error {
	if err := d.expect(jsonread.Bool); err != nil {
		return err
	}
	b, err := d.json.Bool()
	*v = T(b)
	return err
}

// Flag reads true, false, 1 or 0. Some gateways send a boolean as a number.
func Flag[T ~bool](v *T, d *Decoder) error {
	if d.json.Next() != jsonread.Number {
		return Bool(v, d)
	}
	raw, err := d.number()
	if err != nil {
		return err
	}
	if n := string(raw); n != "0" && n != "1" {
		return errNotFlag
	}
	*v = raw[0] == '1'
	return nil
}

// Text reads a string, or a number as the text it was written with.
func Text[T ~string](v *T, d *Decoder) error {
	if d.json.Next() != jsonread.Number {
		return String(v, d)
	}
	raw, err := d.number()
	if err == nil {
		*v = T(jsonread.Text(raw))
	}
	return err
}

// Number reads a number, or a string that contains one, and keeps its digits.
func Number(v *json.Number, d *Decoder) error {
	if d.json.Next() == jsonread.Number {
		return Text(v, d)
	}
	var text string
	if err := String(&text, d); err != nil {
		return err
	}
	if !isNumber(text) {
		return errNotNumber
	}
	*v = json.Number(text)
	return nil
}

// isNumber reports whether text is a JSON number and nothing else.
func isNumber(text string) bool {
	var d jsonread.Decoder
	d.Reset([]byte(text))
	raw, err := d.Number()
	return err == nil && len(raw) == len(text)
}

// Time reads an RFC 3339 time.
func Time(v *time.Time, d *Decoder) error {
	if err := d.expect(jsonread.String); err != nil {
		return err
	}
	raw, err := d.json.StrBytes()
	if err != nil {
		return err
	}
	var at time.Time
	if at.UnmarshalText(raw) != nil { // its error quotes the text
		return errNotTime
	}
	*v = at
	return nil
}

// number reads a JSON number as its text, which is valid until the next read.
func (d *Decoder) number() ([]byte, error) {
	if err := d.expect(jsonread.Number); err != nil {
		return nil, err
	}
	return d.json.Number()
}
