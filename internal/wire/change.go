package wire

import (
	"encoding/json"
	"reflect"
)

// Change is an optional field of a request that may be null. An empty map leaves the field out, {false: v} is null for any v, and
// {true: v} is v.
type Change[T any] map[bool]T

// MarshalJSON returns the value, or null.
func (c Change[T]) MarshalJSON() ([]byte, error) {
	if value, ok := c[true]; ok {
		return json.Marshal(value)
	}
	return []byte("null"), nil
}

// UnmarshalJSON sets c to the value, or to null.
func (c *Change[T]) UnmarshalJSON(text []byte) error {
	var value *T
	err := decode(text, reflect.ValueOf(&value).Elem(), codecOf(reflect.TypeFor[*T](), false).read)
	if *c = (Change[T]{false: *new(T)}); value != nil {
		*c = Change[T]{true: *value}
	}
	return err
}
