package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// readString reads a string. Invalid UTF-8 becomes U+FFFD, as in encoding/json.
func readString(v reflect.Value, d *Decoder) error {
	if err := d.expect(jsonread.String); err != nil {
		return err
	}
	raw, err := d.json.StrBytes()
	v.SetString(jsonread.Text(raw))
	return err
}

// readInteger reads an integer, which 5.0 and 1e3 are, too. It never rounds.
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

// readFlag reads true, false, 1 or 0. Some gateways send a boolean as a number.
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

// readText reads a string, or a number as the text it was written with.
func readText(v reflect.Value, d *Decoder) error {
	if d.json.Next() != jsonread.Number {
		return readString(v, d)
	}
	raw, err := d.number()
	v.SetString(jsonread.Text(raw))
	return err
}

// readNumber reads a number, or a string that contains one, and keeps its digits.
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

// readRaw keeps a copy: a value that points into the body keeps all of it in memory.
func readRaw(v reflect.Value, d *Decoder) error {
	raw, err := d.json.Raw()
	v.SetBytes(bytes.Clone(raw))
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

// number reads a JSON number as its text, which is valid until the next read.
func (d *Decoder) number() ([]byte, error) {
	if err := d.expect(jsonread.Number); err != nil {
		return nil, err
	}
	return d.json.Number()
}
