package wire

import "reflect"

// Decode reads a value of any type.
func Decode[T any](text string) (v T, err error) {
	err = decode([]byte(text), reflect.ValueOf(&v).Elem(), codecOf(reflect.TypeFor[T](), false).read)
	return v, err
}

// Encode writes a value of any type.
func Encode[T any](v T) ([]byte, error) {
	return encode(reflect.ValueOf(&v).Elem(), codecOf(reflect.TypeFor[T](), false).write)
}
