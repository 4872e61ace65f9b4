package wire

import (
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// additional is the name of the field that holds what the document does not define.
const additional = "AdditionalProperties"

// Print returns the text of a generated object, as in
//
//	MeshMessage{Content:"done" FromNode:"node-a" ID:604 channel:null}
//
// Nil fields are left out. A value that prints itself does so: a secret stays hidden. Unknown fields follow under their
// own names. Of their values, numbers, booleans and null are shown. Strings, arrays and objects are not, because a newer
// server may send a secret there: they are string(12), array(40) and object(40), with the length of their JSON in bytes.
// The value of a union is shown in the same way.
func Print(v any) string {
	p := printer{}
	p.value(reflect.ValueOf(v))
	return p.text.String()
}

// LogValue returns a generated object as a group: the fields of [Print] under their JSON names.
func LogValue(v any) slog.Value {
	var attrs []slog.Attr
	object := reflect.ValueOf(v)
	for i := range object.NumField() {
		field, value := object.Type().Field(i), object.Field(i)
		if field.Name == additional || isNil(value) {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		attrs = append(attrs, slog.Any(name, logged(reflect.Indirect(value))))
	}
	for name, text := range unknown(object) {
		attrs = append(attrs, slog.String(name, text))
	}
	return slog.GroupValue(attrs...)
}

// logged returns a scalar as it is and anything else as its text: a handler would marshal it, unknown values included.
func logged(v reflect.Value) any {
	switch v.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64:
		return v.Interface()
	default:
		p := printer{}
		p.value(v)
		return p.text.String()
	}
}

// unknown yields the unknown fields of an object, sorted, with the text that is shown for each value.
func unknown(object reflect.Value) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		fields := object.FieldByName(additional)
		if !fields.IsValid() {
			return
		}
		names := fields.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, name := range names {
			p := printer{}
			p.unknown(fields.MapIndex(name))
			if !yield(printable(name.String()), p.text.String()) {
				return
			}
		}
	}
}

// printable returns name, quoted unless it is a plain word: it comes from outside.
func printable(name string) string {
	for i := range len(name) {
		if c := name[i]; c < '-' || c > '~' || c == '=' || c == ':' {
			return strconv.Quote(name)
		}
	}
	return name
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return v.IsNil()
	default:
		return false
	}
}

// shape describes a raw value without its text.
func shape(raw json.RawMessage) string {
	var d jsonread.Decoder
	d.Reset(raw)
	switch kind := d.Next(); kind {
	case jsonread.String, jsonread.Array, jsonread.Object, jsonread.Invalid:
		return fmt.Sprintf("%v(%d)", kind, len(raw))
	default:
		return string(raw)
	}
}

type printer struct{ text strings.Builder }

func (p *printer) value(v reflect.Value) {
	if isNil(v) {
		p.text.WriteString("nil")
		return
	}
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		p.value(v.Elem())
		return
	}
	switch typed := v.Interface().(type) {
	case json.RawMessage:
		p.text.WriteString(shape(typed))
		return
	case json.Number:
		p.text.WriteString(typed.String())
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		p.object(v)
	case reflect.Slice:
		p.text.WriteByte('[')
		for i := range v.Len() {
			p.separate(i)
			p.value(v.Index(i))
		}
		p.text.WriteByte(']')
	case reflect.Map:
		p.table(v)
	case reflect.String:
		p.text.WriteString(strconv.Quote(v.String()))
	default:
		fmt.Fprint(&p.text, v.Interface())
	}
}

// unknown prints the value of an unknown field. One that was decoded has its kind in the document, apart from any.
func (p *printer) unknown(v reflect.Value) {
	if v.Kind() != reflect.Interface {
		p.value(v)
		return
	}
	raw, _ := json.Marshal(v.Interface()) // shape takes an error for an invalid value
	p.text.WriteString(shape(raw))
}

func (p *printer) separate(i int) {
	if i > 0 {
		p.text.WriteByte(' ')
	}
}

// object prints a struct. One that is not generated prints itself, if it can.
func (p *printer) object(v reflect.Value) {
	if _, ok := v.Interface().(fmt.Stringer); ok && !v.FieldByName(additional).IsValid() {
		fmt.Fprint(&p.text, v.Interface())
		return
	}
	p.text.WriteString(v.Type().Name() + "{")
	n := 0
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if field.Name == additional || isNil(value) {
			continue
		}
		p.separate(n)
		if field.IsExported() {
			p.text.WriteString(field.Name + ":")
			p.value(value)
		} else {
			p.text.WriteString(shape(value.Bytes())) // the only unexported field is the JSON of a union
		}
		n++
	}
	for name, text := range unknown(v) {
		p.separate(n)
		p.text.WriteString(name + ":" + text)
		n++
	}
	p.text.WriteByte('}')
}

func (p *printer) table(v reflect.Value) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	p.text.WriteByte('{')
	for i, key := range keys {
		p.separate(i)
		p.text.WriteString(printable(key.String()) + ":")
		p.value(v.MapIndex(key))
	}
	p.text.WriteByte('}')
}
