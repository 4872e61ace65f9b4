package wire

import (
	"bytes"
	"encoding/json"
	"errors"
)

// JSON reads a type that has no function of its own with encoding/json, whose errors quote what they could not read and are replaced.
func JSON[T any](v *T, d *Decoder) error {
	raw, err := d.jx.Raw()
	if err != nil {
		return err
	}
	if string(raw) == "null" {
		return errNull
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
