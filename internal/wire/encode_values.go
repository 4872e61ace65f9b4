package wire

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// WriteString writes a string, escaped as encoding/json does.
func WriteString[T ~string](v *T, e *Encoder) { e.string(string(*v)) }

// string writes text. Most texts need no escape, which is found out faster here than by the writer of jx.
func (e *Encoder) string(text string) {
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c < utf8.RuneSelf {
			continue
		}
		if c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			e.w.StrEscape(text)
			return
		}
	}
	e.w.Buf = append(append(append(e.w.Buf, '"'), text...), '"')
}

// WriteInteger writes an integer.
func WriteInteger[T ~int | ~int32 | ~int64](v *T, e *Encoder) {
	e.w.Buf = strconv.AppendInt(e.w.Buf, int64(*v), 10)
}

// WriteBool writes true or false.
func WriteBool[T ~bool](v *T, e *Encoder) { e.w.Buf = strconv.AppendBool(e.w.Buf, bool(*v)) }

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
	e.w.Buf = strconv.AppendFloat(e.w.Buf, f, format, -1, bitSize[T]())
	if n := len(e.w.Buf); format == 'e' && e.w.Buf[n-4] == 'e' && e.w.Buf[n-3] == '-' && e.w.Buf[n-2] == '0' {
		e.w.Buf[n-2] = e.w.Buf[n-1]
		e.w.Buf = e.w.Buf[:n-1]
	}
}

// WriteNumber writes the digits of a number. The empty number is 0, as in encoding/json.
func WriteNumber(v *json.Number, e *Encoder) {
	switch text := string(*v); {
	case text == "":
		e.w.Buf = append(e.w.Buf, '0')
	case isNumber(text):
		e.w.Buf = append(e.w.Buf, text...)
	default:
		e.fail(errNotJSON)
	}
}

// WriteTime writes an RFC 3339 time.
func WriteTime(v *time.Time, e *Encoder) {
	e.w.Buf = append(e.w.Buf, '"')
	text, err := v.AppendText(e.w.Buf)
	if err != nil {
		e.fail(errNotJSON)
		return
	}
	e.w.Buf = text
	e.w.Buf = append(e.w.Buf, '"')
}

// WriteRaw writes a value that is JSON already. A nil value is null.
func WriteRaw[T ~[]byte](v *T, e *Encoder) {
	if *v == nil {
		e.null()
		return
	}
	e.raw(*v)
}

// raw writes JSON without its white space, escaped as encoding/json does.
func (e *Encoder) raw(text []byte) {
	if string(text) == "null" { // as most unknown fields are
		e.null()
		return
	}
	var compact, escaped bytes.Buffer
	if json.Compact(&compact, text) != nil {
		e.fail(errNotJSON)
		return
	}
	json.HTMLEscape(&escaped, compact.Bytes())
	e.w.Buf = append(e.w.Buf, escaped.Bytes()...)
}

// WriteAny writes any value with encoding/json.
func WriteAny(v *any, e *Encoder) { WriteJSON(v, e) }

func sortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }
