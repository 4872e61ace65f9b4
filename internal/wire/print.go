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

// additional is the struct field that holds properties the document doesn't define.
const additional = "AdditionalProperties"

// Print formats a generated object, as in
//
//	MeshMessage{Content:"done" FromNode:"node-a" ID:604 channel:null}
//
// Nil fields are omitted, and values with their own String method use it, so secrets stay
// hidden. Unknown fields follow under their own names. Their numbers, booleans and nulls
// are shown. Strings, arrays and objects may contain a secret from a newer server, so
// only their JSON length in bytes is shown: string(12), array(40), object(40). The same
// holds for the JSON inside a union.
func Print(v any) string {
	return textOf(reflect.ValueOf(v))
}

// LogValue returns a generated object as a group, with the fields that [Print] shows
// under their JSON names.
func LogValue(v any) slog.Value {
	var attrs []slog.Attr
	object := reflect.ValueOf(v)
	for field, value := range fields(object) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		attrs = append(attrs, slog.Any(name, logged(reflect.Indirect(value))))
	}
	for _, m := range unknown(object) {
		attrs = append(attrs, slog.String(m.name, m.text))
	}
	return slog.GroupValue(attrs...)
}

// logged keeps scalars and formats everything else: a slog handler would marshal it,
// including unknown fields.
func logged(v reflect.Value) any {
	if kind := v.Kind(); kind == reflect.String || kind >= reflect.Bool && kind <= reflect.Float64 {
		return v.Interface()
	}
	return textOf(v)
}

// fields yields the non-nil fields, except AdditionalProperties.
func fields(object reflect.Value) iter.Seq2[reflect.StructField, reflect.Value] {
	return func(yield func(reflect.StructField, reflect.Value) bool) {
		for i := range object.NumField() {
			field, value := object.Type().Field(i), object.Field(i)
			if field.Name != additional && !isNil(value) && !yield(field, value) {
				return
			}
		}
	}
}

type member struct{ name, text string }

func (m member) String() string { return m.name + ":" + m.text }

func membersOf(m reflect.Value) (members []member) {
	for key, value := range m.Seq2() {
		members = append(members, member{printable(key.String()), textOf(value)})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return members
}

func unknown(object reflect.Value) []member {
	extra := object.FieldByName(additional)
	if !extra.IsValid() {
		return nil
	}
	return membersOf(extra)
}

// printable quotes a name unless it's a plain word, because names are untrusted input.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < '-' || r > '~' || r == '=' || r == ':' }) {
		return strconv.Quote(name)
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

func textOf(v reflect.Value) string {
	if isNil(v) {
		return "nil"
	}
	switch typed := v.Interface().(type) {
	case json.RawMessage:
		return shape(typed)
	case json.Number:
		return typed.String()
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return textOf(v.Elem())
	case reflect.Struct:
		return objectText(v)
	case reflect.Slice:
		var elements []string
		for i := range v.Len() {
			elements = append(elements, textOf(v.Index(i)))
		}
		return fmt.Sprint(elements)
	case reflect.Map:
		list := fmt.Sprint(membersOf(v)) // in brackets
		return "{" + list[1:len(list)-1] + "}"
	case reflect.String:
		return strconv.Quote(v.String())
	default:
		return fmt.Sprint(v.Interface())
	}
}

// objectText formats a struct. Structs that aren't generated use their own String method.
func objectText(v reflect.Value) string {
	if _, ok := v.Interface().(fmt.Stringer); ok && !v.FieldByName(additional).IsValid() {
		return fmt.Sprint(v.Interface())
	}
	var parts []string
	for field, value := range fields(v) {
		if field.IsExported() {
			parts = append(parts, field.Name+":"+textOf(value))
		} else {
			parts = append(parts, shape(value.Bytes())) // the only unexported field: a union's JSON
		}
	}
	for _, m := range unknown(v) {
		parts = append(parts, m.String())
	}
	return v.Type().Name() + "{" + strings.Join(parts, " ") + "}"
}
