package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// readString replaces invalid UTF-8 by U+FFFD, as encoding/json does.
func readString(v reflect.Value, d *Decoder) error {
	if err := d.expect(jsonread.String); err != nil {
		return err
	}
	raw, err := d.json.StrBytes()
	v.SetString(jsonread.Text(raw))
	return err
}

// readInteger accepts 5.0 and 1e3, and never rounds.
func readInteger(v reflect.Value, d *Decoder) error {
	raw, err := d.number()
	if err != nil {
		return err
	}
	n, ok := jsonread.Integer(raw)
	switch {
	case ok && v.CanInt() && !v.OverflowInt(n):
		v.SetInt(n)
	case ok && v.CanUint() && n >= 0 && !v.OverflowUint(uint64(n)):
		v.SetUint(uint64(n))
	default:
		return errNotInteger
	}
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

// readFlag accepts 1 and 0, because some gateways send booleans as numbers.
func readFlag(v reflect.Value, d *Decoder) error {
	if d.json.Next() != jsonread.Number {
		return readBool(v, d)
	}
	raw, err := d.number()
	if err != nil {
		return err
	}
	n := string(raw)
	if v.SetBool(n == "1"); n != "0" && n != "1" {
		return errNotFlag
	}
	return nil
}

// readText accepts a number and keeps its digits.
func readText(v reflect.Value, d *Decoder) error {
	if d.json.Next() != jsonread.Number {
		return readString(v, d)
	}
	raw, err := d.number()
	v.SetString(jsonread.Text(raw))
	return err
}

// readNumber accepts a quoted number and keeps its digits.
func readNumber(v reflect.Value, d *Decoder) error {
	quoted := d.json.Next() != jsonread.Number
	if err := readText(v, d); err != nil {
		return err
	}
	if quoted && !jsonread.IsNumber(v.String()) {
		return errNotNumber
	}
	return nil
}

// readRaw copies the value, because a slice into the body would keep the whole body in
// memory.
func readRaw(v reflect.Value, d *Decoder) error {
	raw, err := d.json.Raw()
	v.SetBytes(bytes.Clone(raw))
	return err
}

// readAny decodes any value, as encoding/json does with UseNumber.
func readAny(v reflect.Value, d *Decoder) error {
	value, err := d.any()
	if v.SetZero(); value != nil {
		v.Set(reflect.ValueOf(value))
	}
	return err
}

func readObject(v reflect.Value, d *Decoder) error {
	if err := d.expect(jsonread.Object); err != nil {
		return err
	}
	return readAny(v, d)
}

func (d *Decoder) any() (any, error) {
	switch d.json.Next() {
	case jsonread.String:
		raw, err := d.json.StrBytes()
		return jsonread.Text(raw), err
	case jsonread.Number:
		raw, err := d.json.Number()
		return json.Number(raw), err
	case jsonread.Bool:
		return d.json.Bool()
	case jsonread.Array:
		list := []any(nil)
		err := codecOf(reflect.TypeOf(list), false).read(reflect.ValueOf(&list).Elem(), d)
		return list, err
	case jsonread.Object:
		return d.anyObject()
	default:
		return nil, d.json.Skip() // null, or an error
	}
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

// number returns the digits, which stay valid until the next read.
func (d *Decoder) number() ([]byte, error) {
	if err := d.expect(jsonread.Number); err != nil {
		return nil, err
	}
	return d.json.Number()
}
