package jsonread

import (
	"encoding/json"
	"unicode/utf8"
)

// Str reads a string.
func (d *Decoder) Str() (string, error) {
	text, err := d.StrBytes()
	return string(text), err
}

// StrBytes reads a string. The result is a slice of the text unless the string has escapes, and invalid UTF-8 is then kept. With escapes
// the result is that of encoding/json.
func (d *Decoder) StrBytes() ([]byte, error) {
	if d.peek() != '"' {
		return nil, d.unexpected()
	}
	begin, rest := d.at, d.text[d.at+1:]
	if n := plain(rest); n < len(rest) && rest[n] == '"' { // as nearly all are
		d.at += n + 2
		return rest[:n:n], nil
	}
	if err := d.skipString(); err != nil {
		return nil, err
	}
	var text string
	err := json.Unmarshal(d.text[begin:d.at], &text)
	return []byte(text), err
}

// Text returns a string with each byte that is not UTF-8 replaced by U+FFFD, as encoding/json does. strings.ToValidUTF8 replaces a run of
// them by one.
func Text(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	return string([]rune(string(raw)))
}

// special has the bytes that end a plain string: the quote, the backslash, and control characters, which are errors.
var special = func() (special [256]bool) {
	for c := range byte(' ') {
		special[c] = true
	}
	special['"'], special['\\'] = true, true
	return special
}()

// plain returns the number of bytes before the first special one.
func plain(text []byte) int {
	for i, c := range text {
		if special[c] {
			return i
		}
	}
	return len(text)
}

// skipString reads a string without decoding its escapes. The next byte is its quote.
func (d *Decoder) skipString() error {
	d.at++
	for {
		d.at += plain(d.text[d.at:])
		switch {
		case d.one(`"`):
			return nil
		case !d.one(`\`), !d.skipEscape():
			return d.unexpected()
		}
	}
}

// skipEscape reads an escape after its backslash.
func (d *Decoder) skipEscape() bool {
	if !d.one("u") {
		return d.one(`"\/bfnrt`)
	}
	for range 4 {
		if !d.one("0123456789abcdefABCDEF") {
			return false
		}
	}
	return true
}
