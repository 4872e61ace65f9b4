package wire

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Optional reads null as nil and anything else with read.
func Optional[T any](v **T, d *Decoder, read func(*T, *Decoder) error) error {
	if d.json.Next() == jsonread.Null {
		*v = nil
		return d.json.Skip()
	}
	p := new(T)
	*v = p
	return read(p, d)
}

// Present reads a value that is required and yet has a pointer, as the generator gives one to readOnly properties. Null is an
// error.
func Present[T any](v **T, d *Decoder, read func(*T, *Decoder) error) error {
	*v = new(T)
	return read(*v, d)
}

// UnlessNull keeps the value of v, its default, if the next value is null, and reads anything else with read.
func UnlessNull[T any](v *T, d *Decoder, read func(*T, *Decoder) error) error {
	if d.json.Next() == jsonread.Null {
		return d.json.Skip()
	}
	return read(v, d)
}

// Nullable returns [Optional] with read as a function of two arguments.
func Nullable[T any](read func(*T, *Decoder) error) func(**T, *Decoder) error {
	return func(v **T, d *Decoder) error { return Optional(v, d, read) }
}

// ArrayOf returns a function that reads an array, each element with read. An empty array is an empty slice, not nil.
func ArrayOf[T any](read func(*T, *Decoder) error) func(*[]T, *Decoder) error {
	return func(v *[]T, d *Decoder) error {
		if err := d.expect(jsonread.Array); err != nil {
			return err
		}
		list := []T{}
		elements := d.json.Array()
		for elements.Next() {
			if cap(list) == 0 {
				list = make([]T, 0, 4)
			}
			if err := d.element(); err != nil {
				return err
			}
			list = append(list, *new(T))
			if err := read(&list[len(list)-1], d); err != nil {
				return located(index(len(list)-1), err)
			}
		}
		*v = list
		return elements.Err()
	}
}

// MapOf returns a function that reads an object into a map, each value with read. An empty object is an empty map, not
// nil. Of two members with one name the last one is kept.
func MapOf[M ~map[string]T, T any](read func(*T, *Decoder) error) func(*M, *Decoder) error {
	return func(v *M, d *Decoder) error {
		values := make(map[string]T)
		o := d.Object()
		for o.Next() {
			name := jsonread.Text(o.Key())
			var value T
			if err := cmp.Or(d.element(), read(&value, d)); err != nil {
				return located(anyKey, err)
			}
			values[name] = value
		}
		*v = values
		return o.Err()
	}
}

// Any reads any value, as encoding/json does with UseNumber: a number becomes a json.Number and stays exact.
func Any(v *any, d *Decoder) error {
	switch d.json.Next() {
	case jsonread.String:
		return boxed(v, d, String[string])
	case jsonread.Number:
		return boxed(v, d, Number)
	case jsonread.Bool:
		return boxed(v, d, Bool[bool])
	case jsonread.Array:
		return boxed(v, d, ArrayOf(Any))
	case jsonread.Object:
		return boxed(v, d, MapOf[map[string]any](Any))
	default:
		*v = nil
		return d.json.Skip() // null, or an error
	}
}

func boxed[T any](v *any, d *Decoder, read func(*T, *Decoder) error) error {
	var typed T
	err := read(&typed, d)
	*v = typed
	return err
}

// Raw keeps a copy of a value as it is, null included: a value that points into the body keeps all of the body in memory.
func Raw[T ~[]byte](v *T, d *Decoder) error {
	raw, err := d.json.Raw()
	if err != nil {
		return err
	}
	*v = T(bytes.Clone(raw))
	return nil
}

// Ptr returns a pointer to v, the default of an optional field.
func Ptr[T any](v T) *T { return &v }

// Default sets v to the default of its field, which is given as the Go value of its JSON form. It is for arrays, maps and
// other defaults that Go cannot write as a constant.
func Default[T any](v *T, value any, read func(*T, *Decoder) error) error {
	data, err := json.Marshal(value)
	if err != nil {
		return errNotJSON
	}
	return Unmarshal(data, v, read)
}
