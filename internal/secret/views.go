package secret

import (
	"bytes"
	"html"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// span is a range in the original text.
type span struct{ start, end int }

// view is the original text or a decoded form.
type view struct {
	text []byte
	// position of each byte in the original text; nil if nothing was decoded
	origin []span
	marked []span
}

func (v *view) source(i int) span {
	if v.origin == nil {
		return span{i, i + 1}
	}
	return v.origin[i]
}

func (v *view) mark(start, end int) {
	if start < end {
		v.marked = append(v.marked, span{v.source(start).start, v.source(end - 1).end})
	}
}

// encoding is a set of encodings for special characters.
type encoding uint8

const (
	percent   encoding = 1 << iota // %2B, as in a URL
	backslash                      // \u002B, \U0000002B, \u{2B}, \x2B, \053, \/ and \", as in JSON and in strings of programs
	entity                         // &#43;, &#x2B; and &amp;, as in HTML
	every     = percent | backslash | entity
)

// views yields the text itself, and then the text decoded once and twice in each
// combination of encodings that occur in it. One combination isn't enough, because a
// secret may contain what looks like an escape. A view is valid until the next iteration.
func views(text string) iter.Seq[*view] {
	return func(yield func(*view) bool) {
		raw := &view{text: []byte(fold(text))}
		present := encodingsIn(text)
		if !yield(raw) {
			return
		}
		var once, twice view
		for e := encoding(1); e <= every; e++ {
			if e&^present != 0 {
				continue
			}
			decode(raw, e, &once)
			if !yield(&once) {
				return
			}
			if encodingsIn(string(once.text)) == 0 {
				continue
			}
			decode(&once, every, &twice)
			if !yield(&twice) {
				return
			}
		}
	}
}

func encodingsIn(text string) encoding {
	var found encoding
	for mark, e := range map[byte]encoding{'%': percent, '\\': backslash, '&': entity} {
		if strings.IndexByte(text, mark) >= 0 {
			found |= e
		}
	}
	return found
}

// fold makes spaces and plus signs equal, because a query encodes a space as a plus sign.
func fold(text string) string { return strings.ReplaceAll(text, " ", "+") }

func decode(v *view, e encoding, out *view) {
	out.text, out.origin, out.marked = slices.Grow(out.text[:0], len(v.text)), slices.Grow(out.origin[:0], len(v.text)), nil
	for i := 0; i < len(v.text); {
		char, n := unescape(v.text[i:], e)
		if n == 0 {
			out.text = append(out.text, v.text[i])
			out.origin = append(out.origin, v.source(i))
			i++
			continue
		}
		from := span{v.source(i).start, v.source(i + n - 1).end}
		out.text = append(out.text, fold(char)...)
		for range len(char) {
			out.origin = append(out.origin, from)
		}
		i += n
	}
}

// unescape decodes the escape at the start of text and returns its length, or 0 if there
// is no escape.
func unescape(text []byte, e encoding) (string, int) {
	switch {
	case text[0] == '%' && e&percent != 0:
		if b, ok := hexValue(text, 1, 2); ok {
			return string([]byte{byte(b)}), 3 //nolint:gosec // two hexadecimal digits fit into a byte
		}
	case text[0] == '\\' && e&backslash != 0 && len(text) > 1:
		return unescapeBackslash(text)
	case text[0] == '&' && e&entity != 0:
		return unescapeEntity(text)
	}
	return "", 0
}

func unescapeBackslash(text []byte) (string, int) {
	const letters, characters = "\"\\/'`ntrbf", "\"\\/'`\n\t\r\b\f"
	if i := strings.IndexByte(letters, text[1]); i >= 0 {
		return characters[i : i+1], 2
	}
	switch text[1] {
	case 'x':
		if b, ok := hexValue(text, 2, 2); ok {
			return string([]byte{byte(b)}), 4 //nolint:gosec // two hexadecimal digits fit into a byte
		}
	case 'u':
		return unescapeUnicode(text)
	case 'U':
		if r, ok := hexValue(text, 2, 8); ok {
			return string(r), 10
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return unescapeOctal(text)
	}
	return "", 0
}

// unescapeUnicode accepts \u002b, a surrogate pair as two of those, and \u{2b}.
func unescapeUnicode(text []byte) (string, int) {
	if len(text) > 2 && text[2] == '{' {
		end := bytes.IndexByte(text[:min(len(text), longestBraces)], '}')
		if r, ok := hexValue(text, 3, end-3); ok && end > 3 {
			return string(r), end + 1
		}
		return "", 0
	}
	first, ok := hexValue(text, 2, 4)
	if !ok {
		return "", 0
	}
	if second, ok := hexValue(text, 8, 4); ok && utf16.IsSurrogate(first) && text[6] == '\\' && text[7] == 'u' {
		return string(utf16.DecodeRune(first, second)), 12
	}
	return string(first), 6
}

// longestBraces is the length of \u{0000002b}, which has as many digits as any other
// form.
const longestBraces = 12

// unescapeOctal accepts one to three octal digits: \53 and \053.
func unescapeOctal(text []byte) (string, int) {
	var value rune
	n := 1
	for n < min(len(text), 4) && '0' <= text[n] && text[n] <= '7' {
		value = value<<3 | rune(text[n]-'0')
		n++
	}
	return string([]byte{byte(value)}), n // some decoders read \777 as \377
}

// longestEntity exceeds every entity for a character in a secret.
const longestEntity = 12

// unescapeEntity is as lenient as browsers: the semicolon may be missing, for example
// because the echo was cut.
func unescapeEntity(text []byte) (string, int) {
	n := 1
	for n < min(longestEntity, len(text)) && isEntityByte(text[n]) {
		n++
	}
	name := string(text[:n])
	if n < len(text) && text[n] == ';' {
		name += ";"
	}
	char := html.UnescapeString(name)
	if char == name || utf8.RuneCountInString(char) != 1 {
		return "", 0
	}
	return char, len(name)
}

func isEntityByte(c byte) bool {
	return c == '#' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func hexValue(text []byte, from, n int) (value rune, ok bool) {
	if n < 0 || len(text) < from+n {
		return 0, false
	}
	number, err := strconv.ParseUint(string(text[from:from+n]), 16, 4*n)
	return rune(number), err == nil //nolint:gosec // n is at most 4
}
