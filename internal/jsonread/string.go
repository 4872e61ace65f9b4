package jsonread

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Str reads a string.
func (d *Decoder) Str() (string, error) {
	text, err := d.StrBytes()
	return string(text), err
}

// StrBytes reads a string. The result is a slice of the text if the string has no
// escapes. Invalid UTF-8 is kept, and an unpaired surrogate escape becomes U+FFFD.
func (d *Decoder) StrBytes() ([]byte, error) {
	if d.peek() != '"' {
		return nil, d.unexpected()
	}
	if text, ok := d.plainString(); ok {
		return text, nil
	}
	begin := d.at + 1
	if err := d.skipString(); err != nil {
		return nil, err
	}
	return unescape(d.text[begin : d.at-1]), nil
}

// Text replaces each invalid UTF-8 byte by U+FFFD, as encoding/json does.
// strings.ToValidUTF8 would replace a run of them by one.
func Text(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	return string([]rune(string(raw)))
}

// special marks bytes that end a plain string: the quote, the backslash, and control
// characters, which are errors.
var special = func() (special [256]bool) {
	for c := range byte(' ') {
		special[c] = true
	}
	special['"'], special['\\'] = true, true
	return special
}()

// plain returns the number of bytes before the first special byte.
func plain(text []byte) int {
	for i, c := range text {
		if special[c] {
			return i
		}
	}
	return len(text)
}

// plainString is a fast path for strings without escapes. The next byte must be the
// quote. If there is an escape, it reads nothing.
func (d *Decoder) plainString() (text []byte, ok bool) {
	rest := d.text[d.at+1:]
	n := plain(rest)
	if n == len(rest) || rest[n] != '"' {
		return nil, false
	}
	d.at += n + 2
	return rest[:n:n], true
}

// skipString reads a string without decoding it. The next byte must be the quote.
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

// Characters after a backslash, except u, and the characters they stand for.
const (
	escapes   = `"\/bfnrt`
	unescaped = "\"\\/\b\f\n\r\t"
)

func (d *Decoder) skipEscape() bool {
	if !d.one("u") {
		return d.one(escapes)
	}
	for range 4 {
		if !d.one("0123456789abcdefABCDEF") {
			return false
		}
	}
	return true
}

// unescape decodes a valid string without its quotes.
func unescape(raw []byte) []byte {
	text := make([]byte, 0, len(raw))
	for {
		before, escape, found := bytes.Cut(raw, []byte{'\\'})
		text = append(text, before...)
		if !found {
			return text
		}
		if i := strings.IndexByte(escapes, escape[0]); i >= 0 {
			text, raw = append(text, unescaped[i]), escape[1:]
			continue
		}
		r := codeUnit(escape)
		raw = escape[len("uXXXX"):]
		if bytes.HasPrefix(raw, []byte(`\u`)) {
			if pair := utf16.DecodeRune(r, codeUnit(raw[1:])); pair != utf8.RuneError {
				r, raw = pair, raw[len(`\uXXXX`):]
			}
		}
		text = utf8.AppendRune(text, r)
	}
}

// codeUnit decodes an escape such as u00e9.
func codeUnit(escape []byte) rune {
	code, _ := strconv.ParseUint(string(escape[1:5]), 16, 16)
	return rune(code)
}
