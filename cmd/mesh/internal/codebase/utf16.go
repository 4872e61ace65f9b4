package codebase

import (
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"
)

// The byte order marks of UTF-16.
const (
	littleEndian = "\xff\xfe"
	bigEndian    = "\xfe\xff"
)

var errNotUTF16 = errors.New("begins like UTF-16 and is not")

// hasWideMark reports whether a text begins with a byte order mark of UTF-16.
func hasWideMark(text string) bool {
	return strings.HasPrefix(text, littleEndian) || strings.HasPrefix(text, bigEndian)
}

// Decoded returns a text with a byte order mark of UTF-16 in UTF-8, without the mark, and another one as it is.
func Decoded(text string) (string, error) {
	if !hasWideMark(text) {
		return text, nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(text, bigEndian) {
		order = binary.BigEndian
	}
	if len(text)%2 != 0 {
		return "", errNotUTF16
	}
	units := make([]byte, 2)
	unit := func(i int) rune {
		copy(units, text[i:])
		return rune(order.Uint16(units))
	}
	var decoded strings.Builder
	decoded.Grow(len(text) / 2)
	for i := 2; i < len(text); i += 2 {
		r := unit(i)
		if utf16.IsSurrogate(r) {
			if i += 2; i == len(text) {
				return "", errNotUTF16
			}
			if r = utf16.DecodeRune(r, unit(i)); r == '\ufffd' {
				return "", errNotUTF16
			}
		}
		decoded.WriteRune(r)
	}
	return decoded.String(), nil
}
