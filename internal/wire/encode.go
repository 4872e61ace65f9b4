package wire

import (
	"encoding/json"
	"maps"
	"slices"
)

// Object writes one JSON object. The zero value is ready to use.
type Object struct {
	buf   []byte
	names map[string]bool
	err   error
}

// Field writes one member.
func (o *Object) Field(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		o.err = located(printable([]byte(name)), errNotJSON)
		return
	}
	o.member(name, raw)
}

func (o *Object) member(name string, raw []byte) {
	if o.names == nil {
		o.names = make(map[string]bool)
		o.buf = append(o.buf, '{')
	} else {
		o.buf = append(o.buf, ',')
	}
	o.names[name] = true
	key, _ := json.Marshal(name) // a string always has a JSON form
	o.buf = append(append(append(o.buf, key...), ':'), raw...)
}

// Close writes the additional members and returns the object. One that bears the name of a field already written is
// left out: the typed field decides.
func (o *Object) Close(additional map[string]json.RawMessage) ([]byte, error) {
	for _, name := range slices.Sorted(maps.Keys(additional)) {
		switch raw := additional[name]; {
		case o.names[name]:
		case !json.Valid(raw):
			o.err = located(printable([]byte(name)), errNotJSON)
		default:
			o.member(name, raw)
		}
	}
	if o.err != nil {
		return nil, o.err
	}
	if o.buf == nil {
		return []byte("{}"), nil
	}
	return append(o.buf, '}'), nil
}

// NotNil returns s, or an empty slice: a required array is never null.
func NotNil[S ~[]E, E any](s S) S {
	if s == nil {
		return S{}
	}
	return s
}
