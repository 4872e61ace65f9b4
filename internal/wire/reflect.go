package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// JSON reads a type that has no function of its own: one with an UnmarshalJSON method, a slice or map of such types, or
// whatever encoding/json can read. Errors keep their path.
func JSON[T any](v *T, d *Decoder) error {
	var fresh T // encoding/json would merge into the map of a default, or of an earlier duplicate
	err := d.reflected(reflect.ValueOf(&fresh).Elem())
	*v = fresh
	return err
}

func (d *Decoder) reflected(v reflect.Value) error {
	if _, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		return d.leaf(v)
	}
	switch {
	case v.Kind() == reflect.Pointer && d.json.Next() == jsonread.Null:
		return d.json.Skip()
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.reflected(v.Elem())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		return d.reflectedSlice(v)
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		return d.reflectedMap(v)
	case v.Kind() == reflect.Interface && v.NumMethod() == 0:
		return Any(v.Addr().Interface().(*any), d)
	}
	return d.leaf(v)
}

func (d *Decoder) reflectedSlice(v reflect.Value) error {
	if err := d.expect(jsonread.Array); err != nil {
		return err
	}
	elements := d.json.Array()
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for elements.Next() {
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		if err := d.reflected(v.Index(v.Len() - 1)); err != nil {
			return located(index(v.Len()-1), err)
		}
	}
	return elements.Err()
}

func (d *Decoder) reflectedMap(v reflect.Value) error {
	v.Set(reflect.MakeMap(v.Type()))
	o := d.Object()
	for o.Next() {
		name := reflect.ValueOf(jsonread.Text(o.Key())).Convert(v.Type().Key())
		value := reflect.New(v.Type().Elem()).Elem()
		if err := d.reflected(value); err != nil {
			return located(anyKey, err)
		}
		v.SetMapIndex(name, value)
	}
	return o.Err()
}

// leaf reads one value with encoding/json. The errors of encoding/json quote what they could not read and are replaced.
func (d *Decoder) leaf(v reflect.Value) error {
	raw, err := d.json.Raw()
	if err != nil {
		return err
	}
	if string(raw) == "null" {
		return errNull
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(v.Addr().Interface())
	var contract *Error
	if err == nil || errors.As(err, &contract) {
		return err
	}
	return errNotJSONType
}
