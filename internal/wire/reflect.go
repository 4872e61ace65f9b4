package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// JSON reads a type that has no function of its own with encoding/json, such as one with an UnmarshalJSON method. The errors of generated
// types in it keep their path; those of encoding/json quote what they could not read and are replaced.
func JSON[T any](v *T, d *Decoder) error {
	if d.json.Next() == jsonread.Null && reflect.TypeFor[T]().Kind() != reflect.Pointer {
		return errNull
	}
	raw, err := d.json.Raw()
	if err != nil {
		return err
	}
	var fresh T // encoding/json would merge into the map of a default, or of an earlier duplicate
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&fresh)
	*v = fresh
	var contract *Error
	if err == nil || errors.As(err, &contract) {
		return err
	}
	return errNotJSONType
}
