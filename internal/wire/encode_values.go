package wire

import (
	"encoding/json"
	"unicode/utf8"
)

// escapes maps ASCII characters to their form in a JSON string, as encoding/json writes
// it.
var escapes = func() (escapes [utf8.RuneSelf]string) {
	for c := range escapes {
		text, _ := json.Marshal(string(rune(c)))
		escapes[c] = string(text[1 : len(text)-1])
	}
	return escapes
}()

// string writes text exactly as encoding/json does.
func (e *Encoder) string(text string) {
	start, begin := len(e.buf), 0 // text[begin:i] needs no escape
	e.buf = append(e.buf, '"')
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			e.buf = e.buf[:start]
			e.marshal(text)
			return
		}
		if escape := escapes[text[i]]; len(escape) > 1 {
			e.buf = append(e.buf, text[begin:i]...)
			e.buf = append(e.buf, escape...)
			begin = i + 1
		}
	}
	e.buf = append(e.buf, text[begin:]...)
	e.buf = append(e.buf, '"')
}

// raw writes compact JSON with the escapes that encoding/json adds.
func (e *Encoder) raw(text json.RawMessage) {
	if string(text) == "null" { // like most unknown fields
		e.null()
		return
	}
	e.marshal(text)
}
