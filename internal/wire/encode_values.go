package wire

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
)

// WriteString writes a string, escaped as encoding/json does.
func WriteString[T ~string](v *T, e *Encoder) { e.buf = appendString(e.buf, string(*v)) }

// WriteInteger writes an integer.
func WriteInteger[T ~int | ~int32 | ~int64](v *T, e *Encoder) {
	e.buf = strconv.AppendInt(e.buf, int64(*v), 10)
}

// WriteBool writes true or false.
func WriteBool[T ~bool](v *T, e *Encoder) { e.buf = strconv.AppendBool(e.buf, bool(*v)) }

// WriteFlag writes true or false, also for a value that was read as 1 or 0.
func WriteFlag[T ~bool](v *T, e *Encoder) { WriteBool(v, e) }

// WriteText writes a string, also for a value that was read as a number.
func WriteText[T ~string](v *T, e *Encoder) { WriteString(v, e) }

// WriteFloat writes a number. NaN and the infinities are errors.
func WriteFloat[T ~float32 | ~float64](v *T, e *Encoder) {
	f := float64(*v)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.fail(errNotJSON)
		return
	}
	// As in encoding/json, very small and very large numbers have an exponent, without a leading zero.
	format, abs := byte('f'), T(math.Abs(f))
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	e.buf = strconv.AppendFloat(e.buf, f, format, -1, bitSize[T]())
	if n := len(e.buf); format == 'e' && e.buf[n-4] == 'e' && e.buf[n-3] == '-' && e.buf[n-2] == '0' {
		e.buf[n-2] = e.buf[n-1]
		e.buf = e.buf[:n-1]
	}
}

// WriteNumber writes the digits of a number. The empty number is 0, as in encoding/json.
func WriteNumber(v *json.Number, e *Encoder) {
	switch text := string(*v); {
	case text == "":
		e.buf = append(e.buf, '0')
	case isNumber(text):
		e.buf = append(e.buf, text...)
	default:
		e.fail(errNotJSON)
	}
}

// WriteTime writes an RFC 3339 time.
func WriteTime(v *time.Time, e *Encoder) {
	e.buf = append(e.buf, '"')
	text, err := v.AppendText(e.buf)
	if err != nil {
		e.fail(errNotJSON)
		return
	}
	e.buf = text
	e.buf = append(e.buf, '"')
}

// WriteRaw writes a value that is JSON already. A nil value is null.
func WriteRaw[T ~[]byte](v *T, e *Encoder) {
	if *v == nil {
		e.null()
		return
	}
	e.raw(*v)
}

// raw writes JSON without its white space.
func (e *Encoder) raw(text []byte) {
	if !e.isJSON(text) {
		e.fail(errNotJSON)
		return
	}
	e.buf = appendCompact(e.buf, text)
}

// isJSON reports whether text is one JSON value. It is json.Valid, in a third of the time.
func (e *Encoder) isJSON(text []byte) bool {
	if string(text) == "null" { // most unknown fields are null
		return true
	}
	e.check.ResetBytes(text)
	return e.check.Skip() == nil && atEnd(&e.check)
}

// deepest bounds the recursion of WriteAny. encoding/json takes over below it, and notices values that contain themselves.
const deepest = 1000

// WriteAny writes any value that [Any] reads without reflection, and all others with encoding/json.
func WriteAny(v *any, e *Encoder) { e.any(*v, 0) }

func (e *Encoder) any(v any, depth int) {
	switch v := v.(type) {
	case nil:
		e.null()
	case string:
		WriteString(&v, e)
	case bool:
		WriteBool(&v, e)
	case json.Number:
		WriteNumber(&v, e)
	case []any:
		e.list(v, depth)
	case map[string]any:
		e.object(v, depth)
	default:
		WriteJSON(&v, e)
	}
}

func (e *Encoder) list(list []any, depth int) {
	if list == nil || depth > deepest {
		WriteJSON(&list, e)
		return
	}
	e.buf = append(e.buf, '[')
	for _, v := range list {
		e.comma()
		e.any(v, depth+1)
	}
	e.buf = append(e.buf, ']')
}

func (e *Encoder) object(object map[string]any, depth int) {
	if object == nil || depth > deepest {
		WriteJSON(&object, e)
		return
	}
	e.buf = append(e.buf, '{')
	for _, key := range sortedKeys(object) {
		e.name(key)
		e.any(object[key], depth+1)
	}
	e.buf = append(e.buf, '}')
}

func sortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }
