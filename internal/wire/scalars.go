package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// readString reads a string. Invalid UTF-8 becomes U+FFFD, as in encoding/json.
func readString(v reflect.Value, d *Decoder) error {
	if err := d.expect(jsonread.String); err != nil {
		return err
	}
	raw, err := d.json.StrBytes()
	if err == nil {
		v.SetString(jsonread.Text(raw))
	}
	return err
}

// readInteger reads an integer, which 5.0 and 1e3 are, too. It never rounds.
func readInteger(v reflect.Value, d *Decoder) error {
	raw, err := d.number()
	if err != nil {
		return err
	}
	if v.CanUint() {
		n, err := strconv.ParseUint(whole(string(raw)), 10, v.Type().Bits())
		if err != nil {
			return errNotInteger
		}
		v.SetUint(n)
		return nil
	}
	n, err := strconv.ParseInt(string(raw), 10, v.Type().Bits())
	if err != nil {
		n, err = strconv.ParseInt(whole(string(raw)), 10, v.Type().Bits())
	}
	if err != nil {
		return errNotInteger
	}
	v.SetInt(n)
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

func readFloat(v reflect.Value, d *Decoder) error {
	raw, err := d.number()
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(string(raw), v.Type().Bits())
	if err != nil {
		return errNotFloat
	}
	v.SetFloat(f)
	return nil
}

func readBool(v reflect.Value, d *Decoder) error {
	if err := d.expect(jsonread.Bool); err != nil {
		return err
	}
	b, err := d.json.Bool()
	v.SetBool(b)
	return err
}

// readFlag reads true, false, 1 or 0. Some gateways send a boolean as a number.
func readFlag(v reflect.Value, d *Decoder) error {
	if d.json.Next() != jsonread.Number {
		return readBool(v, d)
	}
	raw, err := d.number()
	if err != nil {
		return err
	}
	if n := string(raw); n != "0" && n != "1" {
		return errNotFlag
	}
	v.SetBool(raw[0] == '1')
	return nil
}

// readText reads a string, or a number as the text it was written with.
func readText(v reflect.Value, d *Decoder) error {
	if d.json.Next() != jsonread.Number {
		return readString(v, d)
	}
	raw, err := d.number()
	if err == nil {
		v.SetString(jsonread.Text(raw))
	}
	return err
}

// readNumber reads a number, or a string that contains one, and keeps its digits.
func readNumber(v reflect.Value, d *Decoder) error {
	quoted := d.json.Next() != jsonread.Number
	if err := readText(v, d); err != nil {
		return err
	}
	if quoted && !isNumber(v.String()) {
		return errNotNumber
	}
	return nil
}

// isNumber reports whether text is a JSON number and nothing else.
func isNumber(text string) bool {
	var d jsonread.Decoder
	d.Reset([]byte(text))
	raw, err := d.Number()
	return err == nil && len(raw) == len(text)
}

// readTime reads an RFC 3339 time.
func readTime(v reflect.Value, d *Decoder) error {
	if err := d.expect(jsonread.String); err != nil {
		return err
	}
	raw, err := d.json.StrBytes()
	if err != nil {
		return err
	}
	at, _ := v.Addr().Interface().(*time.Time)
	if at.UnmarshalText(raw) != nil { // its error quotes the text
		return errNotTime
	}
	return nil
}

// readRaw keeps a copy: a value that points into the body keeps all of it in memory.
func readRaw(v reflect.Value, d *Decoder) error {
	raw, err := d.json.Raw()
	if err == nil {
		v.SetBytes(bytes.Clone(raw))
	}
	return err
}

// readAny reads any value, as encoding/json does with UseNumber.
func readAny(v reflect.Value, d *Decoder) error {
	value, err := d.any()
	if v.SetZero(); value != nil {
		v.Set(reflect.ValueOf(value))
	}
	return err
}

// readObject reads a map[string]any.
func readObject(v reflect.Value, d *Decoder) error {
	if err := d.expect(jsonread.Object); err != nil {
		return err
	}
	return readAny(v, d)
}

func (d *Decoder) any() (any, error) {
	switch d.json.Next() {
	case jsonread.String:
		return d.json.Str()
	case jsonread.Number:
		raw, err := d.json.Number()
		return json.Number(raw), err
	case jsonread.Bool:
		return d.json.Bool()
	case jsonread.Array:
		return d.anyArray()
	case jsonread.Object:
		return d.anyObject()
	default:
		return nil, d.json.Skip() // null, or an error
	}
}

func (d *Decoder) anyArray() ([]any, error) {
	list := []any{}
	elements := d.json.Array()
	for elements.Next() {
		value, err := d.any()
		if err = cmp.Or(d.element(), err); err != nil {
			return list, located(index(len(list)), err)
		}
		list = append(list, value)
	}
	return list, elements.Err()
}

func (d *Decoder) anyObject() (map[string]any, error) {
	values := map[string]any{}
	members := d.json.Object()
	for members.Next() {
		name := jsonread.Text(members.Key())
		value, err := d.any()
		if err = cmp.Or(d.element(), err); err != nil {
			return values, located(anyKey, err)
		}
		values[name] = value
	}
	return values, members.Err()
}

// number reads a JSON number as its text, which is valid until the next read.
func (d *Decoder) number() ([]byte, error) {
	if err := d.expect(jsonread.Number); err != nil {
		return nil, err
	}
	return d.json.Number()
}
