package wire

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// plain reports whether encoding/json writes the character c as it is in a string, without a look at its neighbours.
func plain(c byte) bool {
	return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
}

// plainPrefix returns the length of a prefix of s that is plain. It looks at eight bytes at a time.
func plainPrefix(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		// x^(ones*c) has a zero byte where x has c, and subtracting ones turns a zero byte into one with its high bit set.
		found := x | (x - ones*' ') | ((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones) |
			((x ^ ones*'&') - ones) | ((x&^(ones*2) ^ ones*'<') - ones) // < and > differ in one bit
		if found&high != 0 {
			break
		}
	}
	for i < len(s) && plain(s[i]) {
		i++
	}
	return i
}

// appendString appends s as a JSON string, byte for byte as encoding/json does. The writer of jx differs: it writes
// \u0008 and \u000c for \b and \f.
func appendString(buf []byte, s string) []byte {
	buf = append(buf, '"')
	for {
		n := plainPrefix(s)
		buf = append(buf, s[:n]...)
		if n == len(s) {
			return append(buf, '"')
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case r < utf8.RuneSelf:
			buf = appendEscape(buf, s[n])
		case r == utf8.RuneError && size == 1:
			buf = append(buf, `\ufffd`...)
		case r == '\u2028' || r == '\u2029':
			buf = append(append(buf, `\u202`...), hexDigits[r&0xF])
		default:
			buf = append(buf, s[n:n+size]...)
		}
		s = s[n+size:]
	}
}

func appendEscape(buf []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(buf, '\\', c)
	case '\b':
		return append(buf, `\b`...)
	case '\f':
		return append(buf, `\f`...)
	case '\n':
		return append(buf, `\n`...)
	case '\r':
		return append(buf, `\r`...)
	case '\t':
		return append(buf, `\t`...)
	}
	return append(buf, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
}

// appendCompact appends raw, which is valid JSON, without white space and with the escapes of encoding/json: those of <, >,
// &, U+2028 and U+2029, which occur in strings only.
func appendCompact(buf, raw []byte) []byte {
	inString := false
	start := 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\':
			i++ // the escaped character is not the end of the string
		case c == '"':
			inString = !inString
		case !inString && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			buf = append(buf, raw[start:i]...)
			start = i + 1
		case c == '<' || c == '>' || c == '&':
			buf = appendEscape(append(buf, raw[start:i]...), c)
			start = i + 1
		case c == 0xE2 && i+2 < len(raw) && raw[i+1] == 0x80 && raw[i+2]&^1 == 0xA8:
			buf = append(append(buf, raw[start:i]...), `\u202`...)
			buf = append(buf, hexDigits[raw[i+2]&0xF])
			start = i + 3
			i += 2
		}
	}
	return append(buf, raw[start:]...)
}
