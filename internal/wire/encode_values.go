package wire

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// WriteString writes a string, escaped as encoding/json does.
func WriteString[T ~string](v *T, e *Encoder) { e.string(string(*v)) }

// string writes text. Names and most values need no escapes.
func (e *Encoder) string(text string) {
	if strings.ContainsFunc(text, isSpecial) {
		WriteJSON(&text, e)
		return
	}
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, text...)
	e.buf = append(e.buf, '"')
}

func isSpecial(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) }

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
func WriteFloat[T ~float32 | ~float64](v *T, e *Encoder) { WriteJSON(v, e) }

// WriteNumber writes the digits of a number. The empty number is 0, as in encoding/json.
func WriteNumber(v *json.Number, e *Encoder) { WriteJSON(v, e) }

// WriteTime writes an RFC 3339 time.
func WriteTime(v *time.Time, e *Encoder) { WriteJSON(v, e) }

// WriteRaw writes a value that is JSON already, without its white space, escaped as encoding/json does. A nil value is null.
func WriteRaw[T ~[]byte](v *T, e *Encoder) {
	raw := json.RawMessage(*v)
	if string(raw) == "null" { // as most unknown fields are
		e.null()
		return
	}
	WriteJSON(&raw, e)
}

// WriteAny writes any value with encoding/json.
func WriteAny(v *any, e *Encoder) { WriteJSON(v, e) }
