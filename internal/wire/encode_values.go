package wire

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

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

// raw writes JSON without its white space, escaped as encoding/json does.
func (e *Encoder) raw(text json.RawMessage) {
	if string(text) == "null" { // as most unknown fields are
		e.null()
		return
	}
	e.marshal(text)
}

// number writes the digits of a number. The empty number is 0, as in encoding/json.
func (e *Encoder) number(text string) {
	switch {
	case text == "":
		e.buf = append(e.buf, '0')
	case isNumber(text):
		e.buf = append(e.buf, text...)
	default:
		e.fail(errNotJSON)
	}
}
