package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// codec reads and writes the values of one Go type.
type codec struct {
	read  func(reflect.Value, *Decoder) error
	write func(reflect.Value, *Encoder)
	null  bool // read handles null itself
}

var rawType = reflect.TypeFor[json.RawMessage]()

func known(t reflect.Type) (c codec, ok bool) {
	switch t {
	case rawType:
		return codec{readRaw, func(v reflect.Value, e *Encoder) { e.raw(v.Bytes()) }, true}, true
	case reflect.TypeFor[json.Number]():
		c.read = readNumber
	case reflect.TypeFor[any]():
		c.read = readAny
	case reflect.TypeFor[map[string]any]():
		c.read = readObject
	}
	c.write = writeJSON
	return c, c.read != nil
}

// kinds maps scalar kinds to codecs. encoding/json handles all other kinds.
var kinds = map[reflect.Kind]codec{
	reflect.String: {read: readString, write: func(v reflect.Value, e *Encoder) { e.string(v.String()) }},
	reflect.Bool:   {read: readBool, write: writeJSON},
	reflect.Int64:  {read: readInteger, write: func(v reflect.Value, e *Encoder) { e.buf = strconv.AppendInt(e.buf, v.Int(), 10) }},
}

func codecOf(t reflect.Type, lenient bool) codec {
	if table, ok := tables.Load(t); ok {
		table, _ := table.(*Table)
		return codec{read: table.decode, write: table.encode}
	}
	if c, ok := known(t); ok {
		return c
	}
	kind := t.Kind()
	switch {
	case kind == reflect.Map && t.Key().Kind() == reflect.Bool: // a Change
		return codec{readNullable, writeJSON, true}
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return codec{read: readJSON, write: writeJSON}
	case kind == reflect.Pointer:
		return pointerOf(t, codecOf(t.Elem(), lenient))
	case kind == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return sliceOf(t, codecOf(t.Elem(), lenient))
	case kind == reflect.Map:
		return mapOf(t, codecOf(t.Elem(), lenient))
	}
	c, ok := kinds[kind]
	switch {
	case !ok && kind >= reflect.Int && kind <= reflect.Uint32:
		return codec{read: readInteger, write: writeJSON}
	case !ok:
		return codec{read: readJSON, write: writeJSON}
	case lenient && t == reflect.TypeFor[string]():
		c.read = readText
	case lenient && t == reflect.TypeFor[bool]():
		c.read = readFlag
	}
	return c
}

func pointerOf(t reflect.Type, c codec) codec {
	return codec{read: func(v reflect.Value, d *Decoder) error {
		if d.json.Next() == jsonread.Null {
			v.SetZero()
			return d.json.Skip()
		}
		v.Set(reflect.New(t.Elem()))
		return c.read(v.Elem(), d)
	}, write: func(v reflect.Value, e *Encoder) {
		if v.IsNil() {
			e.null()
			return
		}
		c.write(v.Elem(), e)
	}}
}

func sliceOf(t reflect.Type, c codec) codec {
	return codec{read: func(v reflect.Value, d *Decoder) error {
		if err := d.expect(jsonread.Array); err != nil {
			return err
		}
		elements := d.json.Array()
		v.Set(reflect.MakeSlice(t, 0, 0))
		for n := 0; elements.Next(); n++ {
			if err := d.element(); err != nil {
				return err
			}
			if n == v.Cap() {
				v.Grow(max(1, 4-n))
			}
			v.SetLen(n + 1)
			if err := c.read(v.Index(n), d); err != nil {
				return located(index(n), err)
			}
		}
		return elements.Err()
	}, write: func(v reflect.Value, e *Encoder) {
		if v.IsNil() {
			e.null()
			return
		}
		e.buf = append(e.buf, '[')
		for i := range v.Len() {
			e.comma()
			if c.write(v.Index(i), e); e.err != nil {
				e.err = located(index(i), e.err)
				return
			}
		}
		e.buf = append(e.buf, ']')
	}}
}

func mapOf(t reflect.Type, c codec) codec {
	return codec{read: func(v reflect.Value, d *Decoder) error {
		if err := d.expect(jsonread.Object); err != nil {
			return err
		}
		v.Set(reflect.MakeMap(t)) // a duplicate key replaces the first map
		members := d.json.Object()
		for members.Next() {
			if err := entry(v, c, d, members.Key()); err != nil {
				return located(anyKey, err)
			}
		}
		return members.Err()
	}, write: writeJSON}
}

func entry(m reflect.Value, c codec, d *Decoder, key []byte) error {
	if m.IsNil() {
		m.Set(reflect.MakeMap(m.Type()))
	}
	name := reflect.ValueOf(jsonread.Text(key)).Convert(m.Type().Key())
	value := reflect.New(m.Type().Elem()).Elem()
	err := cmp.Or(d.element(), c.read(value, d))
	m.SetMapIndex(name, value)
	return err
}

func writeJSON(v reflect.Value, e *Encoder) { e.marshal(v.Interface()) }

func (e *Encoder) marshal(v any) {
	text, err := json.Marshal(v)
	var contract *Error
	if err != nil && !errors.As(err, &contract) {
		err = errNotJSON
	}
	e.buf = append(e.buf, text...)
	e.err = err
}

// readJSON is readNullable for fields that must not be null.
func readJSON(v reflect.Value, d *Decoder) error {
	if d.json.Next() == jsonread.Null {
		return errNull
	}
	return readNullable(v, d)
}

// readNullable decodes a value with encoding/json. Its errors may quote the value, so
// they are replaced.
func readNullable(v reflect.Value, d *Decoder) error {
	raw, err := d.json.Raw()
	if err != nil {
		return err
	}
	v.SetZero() // encoding/json would merge into an earlier duplicate's value
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(v.Addr().Interface())
	var contract *Error
	if err == nil || errors.As(err, &contract) {
		return err
	}
	return errNotJSONType
}
