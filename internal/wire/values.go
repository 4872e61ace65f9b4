package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/go-faster/jx"
)

// String reads a JSON string. Invalid UTF-8 becomes U+FFFD, as in encoding/json.
func String[T ~string](v *T, d *Decoder) error {
	if err := d.expect(jx.String); err != nil {
		return err
	}
	s, err := d.jx.Str()
	*v = T(valid(s))
	return err
}

func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s)) // one U+FFFD for each bad byte; strings.ToValidUTF8 makes one of a whole run
}

// Int64 reads a JSON integer. A fraction, an exponent or a number beyond 64 bits is an error, never rounded.
func Int64(v *int64, d *Decoder) error {
	n, err := d.number()
	if err != nil {
		return err
	}
	i, err := json.Number(n).Int64()
	if err != nil {
		return errNotInt64
	}
	*v = i
	return nil
}

// Float64 reads a JSON number.
func Float64(v *float64, d *Decoder) error {
	n, err := d.number()
	if err != nil {
		return err
	}
	f, err := json.Number(n).Float64()
	if err != nil {
		return errNotFloat64
	}
	*v = f
	return nil
}

// Bool reads true or false.
func Bool(v *bool, d *Decoder) error {
	if err := d.expect(jx.Bool); err != nil {
		return err
	}
	b, err := d.jx.Bool()
	*v = b
	return err
}

// Flag reads true, false, 1 or 0: some gateways send a boolean as a number (WIRE.md G1).
func Flag(v *bool, d *Decoder) error {
	if d.jx.Next() != jx.Number {
		return Bool(v, d)
	}
	n, err := d.number()
	if err != nil {
		return err
	}
	if n != "0" && n != "1" {
		return errNotFlag
	}
	*v = n == "1"
	return nil
}

// Text reads a string, or a number as the text it was written with (WIRE.md G2).
func Text[T ~string](v *T, d *Decoder) error {
	if d.jx.Next() != jx.Number {
		return String(v, d)
	}
	n, err := d.number()
	*v = T(n)
	return err
}

// Number reads a number, or a string that holds one, and keeps its digits as they came.
func Number(v *json.Number, d *Decoder) error {
	var text string
	if err := Text(&text, d); err != nil {
		return err
	}
	// json.Valid allows white space around the number, json.Number does not.
	if jx.DecodeStr(text).Next() != jx.Number || !json.Valid([]byte(text)) || strings.TrimSpace(text) != text {
		return errNotNumber
	}
	*v = json.Number(text)
	return nil
}

// Raw keeps a value as it came, null included.
func Raw(v *json.RawMessage, d *Decoder) error {
	raw, err := d.jx.Raw()
	if err != nil {
		return err
	}
	*v = d.keep(raw)
	return nil
}

// JSON reads any other type through encoding/json. Numbers in an interface become json.Number, so that they stay exact.
func JSON[T any](v *T, d *Decoder) error {
	raw, err := d.jx.Raw()
	if err != nil {
		return err
	}
	if string(raw) == "null" {
		return errNull
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var fresh T // a map with a default in it, or with an earlier duplicate, must not be merged into
	if err := dec.Decode(&fresh); err != nil {
		// encoding/json quotes what it could not read; an error of ours never does.
		return errNotJSONType
	}
	*v = fresh
	return nil
}

// Optional reads null as nil and anything else with read.
func Optional[T any](v **T, d *Decoder, read func(*T, *Decoder) error) error {
	if d.jx.Next() == jx.Null {
		*v = nil
		return d.jx.Null()
	}
	p := new(T)
	*v = p
	return read(p, d)
}

// UnlessNull leaves the default in place when null comes, and reads anything else with read.
func UnlessNull[T any](v *T, d *Decoder, read func(*T, *Decoder) error) error {
	if d.jx.Next() == jx.Null {
		return d.jx.Null()
	}
	return read(v, d)
}

// ArrayOf returns a function that reads an array, each element with read. An empty array is an empty slice, not nil.
func ArrayOf[T any](read func(*T, *Decoder) error) func(*[]T, *Decoder) error {
	return func(v *[]T, d *Decoder) error {
		if err := d.expect(jx.Array); err != nil {
			return err
		}
		*v = []T{}
		return d.jx.Arr(func(*jx.Decoder) error {
			var zero T
			*v = append(*v, zero)
			if err := read(&(*v)[len(*v)-1], d); err != nil {
				return located(index(len(*v)-1), err)
			}
			return nil
		})
	}
}

// number reads a JSON number as its text.
func (d *Decoder) number() (string, error) {
	if err := d.expect(jx.Number); err != nil {
		return "", err
	}
	raw, err := d.jx.Raw()
	return string(raw), err
}
