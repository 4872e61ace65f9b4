package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// codec reads and writes the values of one Go type.
type codec struct {
	read  func(reflect.Value, *Decoder) error
	write func(reflect.Value, *Encoder)
	null  bool // read keeps null as a value
}

var (
	rawType    = reflect.TypeFor[json.RawMessage]()
	rawFields  = reflect.TypeFor[map[string]json.RawMessage]()
	numberType = reflect.TypeFor[json.Number]()
	marshaler  = reflect.TypeFor[json.Marshaler]()
	unmarshals = reflect.TypeFor[json.Unmarshaler]()
)

// codecOf returns the codec of a type. Types without one are left to encoding/json.
func codecOf(t reflect.Type, lenient bool) codec {
	if table, ok := tables.Load(t); ok {
		table, _ := table.(*Table)
		return codec{read: table.decode, write: table.encode}
	}
	if t.Kind() == reflect.Map && t.Key().Kind() == reflect.Bool {
		return changeOf(t, codecOf(t.Elem(), lenient))
	}
	if c, ok := known(t); ok {
		return c
	}
	if reflect.PointerTo(t).Implements(unmarshals) {
		return codec{read: readJSON, write: writeJSON}
	}
	return kindOf(t, lenient)
}

func known(t reflect.Type) (codec, bool) {
	switch t {
	case rawType:
		return codec{readRaw, func(v reflect.Value, e *Encoder) { e.raw(v.Bytes()) }, true}, true
	case numberType:
		return codec{read: readNumber, write: func(v reflect.Value, e *Encoder) { e.number(v.String()) }}, true
	case reflect.TypeFor[time.Time]():
		return codec{read: readTime, write: writeJSON}, true
	case reflect.TypeFor[any]():
		return codec{read: readAny, write: writeJSON}, true
	case reflect.TypeFor[map[string]any]():
		c := mapOf(t, codec{write: writeJSON})
		c.read = readObject
		return c, true
	}
	return codec{}, false
}

func kindOf(t reflect.Type, lenient bool) codec {
	switch {
	case t == reflect.TypeFor[string]() && lenient:
		return codec{read: readText, write: writeString}
	case t == reflect.TypeFor[bool]() && lenient:
		return codec{read: readFlag, write: writeBool}
	case t.Kind() == reflect.String:
		return codec{read: readString, write: writeString}
	case t.Kind() == reflect.Bool:
		return codec{read: readBool, write: writeBool}
	case t.Kind() == reflect.Int64:
		return codec{read: readInteger, write: writeInteger}
	case reflect.New(t).Elem().CanInt(), reflect.New(t).Elem().CanUint():
		return codec{read: readInteger, write: writeJSON}
	case reflect.New(t).Elem().CanFloat():
		return codec{read: readFloat, write: writeJSON}
	case t.Kind() == reflect.Pointer:
		return pointerOf(t, codecOf(t.Elem(), lenient))
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return sliceOf(t, codecOf(t.Elem(), lenient))
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		return mapOf(t, codecOf(t.Elem(), lenient))
	}
	return codec{read: readJSON, write: writeJSON}
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

// sliceOf reads an empty array as an empty slice, and writes nil as null.
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

// mapOf reads an empty object as an empty map, and writes nil as null.
func mapOf(t reflect.Type, c codec) codec {
	return codec{read: func(v reflect.Value, d *Decoder) error {
		if err := d.expect(jsonread.Object); err != nil {
			return err
		}
		v.Set(reflect.MakeMap(t)) // a duplicate replaces the map of the first
		members := d.json.Object()
		for members.Next() {
			if err := entry(v, c, d, members.Key()); err != nil {
				return located(anyKey, err)
			}
		}
		return members.Err()
	}, write: func(v reflect.Value, e *Encoder) {
		if v.IsNil() {
			e.null()
			return
		}
		e.buf = append(e.buf, '{')
		e.entries(v, c, anyKey, func(string) bool { return true })
		e.buf = append(e.buf, '}')
	}}
}

// entry reads a value into a map.
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

// entries writes the entries of a map whose keys pass, sorted. Their path is step.
func (e *Encoder) entries(m reflect.Value, c codec, step string, pass func(string) bool) {
	values := map[string]reflect.Value{}
	for key, value := range m.Seq2() {
		if pass(key.String()) {
			values[key.String()] = value
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		e.name(key)
		if c.write(values[key], e); e.err != nil {
			e.err = located(step, e.err)
			return
		}
	}
}

// changeOf returns the codec of a [Change].
func changeOf(t reflect.Type, c codec) codec {
	return codec{read: func(v reflect.Value, d *Decoder) (err error) {
		value := reflect.New(t.Elem()).Elem()
		set := d.json.Next() != jsonread.Null
		if set {
			err = c.read(value, d)
		} else {
			err = d.json.Skip()
		}
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(reflect.ValueOf(set), value)
		return err
	}, write: writeJSON, null: true}
}

func writeString(v reflect.Value, e *Encoder)  { e.string(v.String()) }
func writeBool(v reflect.Value, e *Encoder)    { e.buf = strconv.AppendBool(e.buf, v.Bool()) }
func writeInteger(v reflect.Value, e *Encoder) { e.buf = strconv.AppendInt(e.buf, v.Int(), 10) }

// writeJSON writes a value with encoding/json, whose errors may quote the value.
func writeJSON(v reflect.Value, e *Encoder) { e.marshal(v.Interface()) }

func (e *Encoder) marshal(v any) {
	text, err := json.Marshal(v)
	var contract *Error
	switch {
	case err == nil:
		e.buf = append(e.buf, text...)
	case errors.As(err, &contract):
		e.fail(contract)
	default:
		e.fail(errNotJSON)
	}
}

// readJSON reads a value with encoding/json, whose errors may quote the value.
func readJSON(v reflect.Value, d *Decoder) error {
	raw, err := d.json.Raw()
	if err != nil {
		return err
	}
	if string(raw) == "null" {
		return errNull
	}
	v.SetZero() // encoding/json would merge into the value of an earlier duplicate
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(v.Addr().Interface())
	var contract *Error
	if err == nil || errors.As(err, &contract) {
		return err
	}
	return errNotJSONType
}
