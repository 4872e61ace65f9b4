package wire

import "reflect"

func Decode[T any](text string) (v T, err error) {
	err = decode([]byte(text), reflect.ValueOf(&v).Elem(), codecOf(reflect.TypeFor[T](), false).read)
	return v, err
}

func Encode[T any](v T) ([]byte, error) {
	return encode(reflect.ValueOf(&v).Elem(), codecOf(reflect.TypeFor[T](), false).write)
}
