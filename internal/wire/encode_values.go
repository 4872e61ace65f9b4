package wire

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// WriteString writes a string, escaped as encoding/json does.
func WriteString[T ~string](v *T, e *Encoder) { e.string(string(*v)) }

// plain has the bytes that are written as they are. Of a character beyond ASCII that depends on all its bytes.
var plain = func() (plain [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		plain[c] = strings.IndexByte(`"\<>&`, c) < 0
	}
	return plain
}()

// string writes text. Invalid bytes become U+FFFD.
func (e *Encoder) string(text string) {
	e.buf = append(e.buf, '"')
	begin := 0 // text[begin:i] needs no escape
	for i := 0; i < len(text); {
		if plain[text[i]] {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r < utf8.RuneSelf || r == '\u2028' || r == '\u2029' || r == utf8.RuneError && size == 1 {
			e.buf = append(e.buf, text[begin:i]...)
			e.escape(r)
			begin = i + size
		}
		i += size
	}
	e.buf = append(e.buf, text[begin:]...)
	e.buf = append(e.buf, '"')
}

// escape writes the escape of a character below U+10000.
func (e *Encoder) escape(r rune) {
	const hex = "0123456789abcdef"
	switch r {
	case '"', '\\':
		e.buf = append(e.buf, '\\', byte(r))
	case '\n':
		e.buf = append(e.buf, `\n`...)
	case '\r':
		e.buf = append(e.buf, `\r`...)
	case '\t':
		e.buf = append(e.buf, `\t`...)
	default:
		e.buf = append(e.buf, '\\', 'u', hex[r>>12], hex[r>>8&0xf], hex[r>>4&0xf], hex[r&0xf])
	}
}

// WriteInteger writes an integer.
func WriteInteger[T integer](v *T, e *Encoder) {
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
	e.buf = strconv.AppendFloat(e.buf, f, format, -1, reflect.TypeFor[T]().Bits())
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
func WriteRaw[T ~[]byte](v *T, e *Encoder) { e.raw(json.RawMessage(*v)) }

// raw writes JSON without its white space, escaped as encoding/json does.
func (e *Encoder) raw(text json.RawMessage) {
	if string(text) == "null" { // as most unknown fields are
		e.null()
		return
	}
	WriteJSON(&text, e)
}

// WriteAny writes any value with encoding/json.
func WriteAny(v *any, e *Encoder) { WriteJSON(v, e) }

func sortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }
