package wire

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// WriteString writes a string, as most are without encoding/json.
func WriteString[T ~string](v *T, e *Encoder) {
	text := string(*v)
	if strings.ContainsFunc(text, escaped) {
		WriteJSON(&text, e)
		return
	}
	e.buf = append(append(append(e.buf, '"'), text...), '"')
}

// escaped reports whether encoding/json may escape a character.
func escaped(r rune) bool {
	switch r {
	case '"', '\\', '<', '>', '&':
		return true
	}
	return r < ' ' || r > '~'
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
func WriteFloat[T ~float32 | ~float64](v *T, e *Encoder) { WriteJSON(v, e) }

// WriteNumber writes the digits of a number. The empty number is 0.
func WriteNumber(v *json.Number, e *Encoder) { WriteJSON(v, e) }

// WriteTime writes an RFC 3339 time.
func WriteTime(v *time.Time, e *Encoder) { WriteJSON(v, e) }

// WriteRaw writes a value that is JSON already. A nil value is null.
func WriteRaw[T ~[]byte](v *T, e *Encoder) {
	raw := json.RawMessage(*v)
	if string(raw) == "null" { // as most unknown fields are
		e.null()
		return
	}
	WriteJSON(&raw, e)
}

// WriteAny writes any value.
func WriteAny(v *any, e *Encoder) { WriteJSON(v, e) }

// WriteJSON writes a value with encoding/json.
func WriteJSON[T any](v *T, e *Encoder) {
	text, err := json.Marshal(*v)
	var contract *Error
	switch {
	case err == nil:
		e.buf = append(e.buf, text...)
	case errors.As(err, &contract):
		e.fail(contract)
	default:
		e.fail(errNotJSON) // the error of encoding/json may quote the value
	}
}
