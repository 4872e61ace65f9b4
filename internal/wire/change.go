package wire

import (
	"encoding/json"
	"reflect"
)

// Change is an optional request field that may be null. An empty map omits the field,
// {false: v} sends null for any v, and {true: v} sends v.
type Change[T any] map[bool]T

// MarshalJSON encodes the value, or null.
func (c Change[T]) MarshalJSON() ([]byte, error) {
	if value, ok := c[true]; ok {
		return json.Marshal(value)
	}
	return []byte("null"), nil
}

// UnmarshalJSON stores the value, or {false: zero} for null.
func (c *Change[T]) UnmarshalJSON(text []byte) error {
	var value *T
	err := decode(text, reflect.ValueOf(&value).Elem(), codecOf(reflect.TypeFor[*T](), false).read)
	if *c = (Change[T]{false: *new(T)}); value != nil {
		*c = Change[T]{true: *value}
	}
	return err
}
