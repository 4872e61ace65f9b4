package client

import (
	"encoding"
	"encoding/json"
	"reflect"
	"regexp"
	"unicode/utf8"
)

// replacement matches each form that U+FFFD has in JSON.
var replacement = regexp.MustCompile(`\x{fffd}|(?i:\\ufffd)`)

// isUTF8 reports whether value, which json.Marshal wrote as text, has valid strings only.
// json.Marshal replaces invalid bytes by U+FFFD, so only a text with one needs the slow look.
func isUTF8(value any, text []byte) bool {
	return utf8.Valid(text) && (!replacement.Match(text) || hasValidStrings(reflect.ValueOf(value)))
}

// hasValidStrings reports whether all strings that json.Marshal writes for v are valid UTF-8.
func hasValidStrings(v reflect.Value) bool {
	if text, ok := marshaled(v); ok {
		return utf8.Valid(text)
	}
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Interface, reflect.Pointer:
		return hasValidStrings(v.Elem())
	case reflect.Struct:
		return hasValidFields(v)
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			if !hasValidStrings(entry.Key()) || !hasValidStrings(entry.Value()) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !hasValidStrings(v.Index(i)) {
				return false
			}
		}
	default:
	}
	return true
}

func hasValidFields(v reflect.Value) bool {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if written := field.IsExported() || field.Anonymous; written && field.Tag.Get("json") != "-" && !hasValidStrings(v.Field(i)) {
			return false
		}
	}
	return true
}

// marshaled returns the text of a value that writes itself. Methods of a pointer count only
// if v is addressable, as for json.Marshal.
func marshaled(v reflect.Value) (text []byte, ok bool) {
	if !v.IsValid() {
		return nil, false
	}
	if v.CanAddr() && v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
		v = v.Addr()
	}
	if !v.CanInterface() || v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, false
	}
	switch m := v.Interface().(type) {
	case json.Marshaler:
		text, _ = m.MarshalJSON()
	case encoding.TextMarshaler:
		text, _ = m.MarshalText()
	default:
		return nil, false
	}
	return text, true
}
