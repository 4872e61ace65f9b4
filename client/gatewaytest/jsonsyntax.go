package gatewaytest

import (
	"slices"
	"strings"
)

// syntaxError is why and where a text is not JSON. The position counts characters.
type syntaxError struct {
	position int
	reason   string
}

// checkJSON returns the first syntax error of a text, or nil. The reasons and positions are those of Python's json module,
// which the gateway reports. Unlike Python it refuses NaN and Infinity.
func checkJSON(text string) *syntaxError {
	s := &jsonScanner{text: []rune(text)}
	s.space()
	if s.value(); s.failure == nil {
		if s.space(); s.at < len(s.text) {
			s.fail(s.at, "Extra data")
		}
	}
	return s.failure
}

type jsonScanner struct {
	text    []rune
	at      int
	depth   int
	failure *syntaxError
}

// maxDepth bounds the recursion. encoding/json refuses deeper values too.
const maxDepth = 10_000

// fail records an error and returns false.
func (s *jsonScanner) fail(position int, reason string) bool {
	s.failure = &syntaxError{position, reason}
	return false
}

// next reports whether the next character is one of chars.
func (s *jsonScanner) next(chars string) bool {
	return s.at < len(s.text) && strings.ContainsRune(chars, s.text[s.at])
}

func (s *jsonScanner) space() {
	for s.next(" \t\r\n") {
		s.at++
	}
}

// take consumes c, or fails with the reason.
func (s *jsonScanner) take(c, reason string) bool {
	if !s.next(c) {
		return s.fail(s.at, reason)
	}
	s.at++
	return true
}

// value consumes a value and reports whether it is valid.
func (s *jsonScanner) value() bool {
	switch {
	case s.next(`"`):
		return s.string()
	case s.next("{"):
		return s.list("}", s.member)
	case s.next("["):
		return s.list("]", s.value)
	}
	for _, word := range []string{"null", "true", "false"} {
		if s.word(word) {
			return true
		}
	}
	return s.number()
}

// list consumes the elements of an object or array and its brackets.
func (s *jsonScanner) list(end string, element func() bool) bool {
	if s.depth == maxDepth {
		return s.fail(s.at, "Expecting value")
	}
	s.depth++
	defer func() { s.depth-- }()
	s.at++
	for s.space(); !s.next(end); s.space() {
		if !element() {
			return false
		}
		if s.space(); s.next(end) {
			break
		}
		if !s.take(",", "Expecting ',' delimiter") {
			return false
		}
		if s.space(); s.next(end) { // a comma at the end
			return element()
		}
	}
	s.at++
	return true
}

func (s *jsonScanner) member() bool {
	if !s.next(`"`) {
		return s.fail(s.at, "Expecting property name enclosed in double quotes")
	}
	if !s.string() {
		return false
	}
	s.space()
	if !s.take(":", "Expecting ':' delimiter") {
		return false
	}
	s.space()
	return s.value()
}

func (s *jsonScanner) word(word string) bool {
	end := s.at + len(word)
	if end > len(s.text) || !slices.Equal(s.text[s.at:end], []rune(word)) {
		return false
	}
	s.at = end
	return true
}

const digits = "0123456789"

// number consumes a number. A fraction or exponent without digits is not consumed, and is extra data.
func (s *jsonScanner) number() bool {
	begin := s.at
	if s.next("-") {
		s.at++
	}
	switch {
	case s.next("0"):
		s.at++
	case !s.digits():
		return s.fail(begin, "Expecting value")
	}
	s.suffix(".", "")
	s.suffix("eE", "+-")
	return true
}

// suffix consumes one of marks, an optional sign and digits, or nothing.
func (s *jsonScanner) suffix(marks, signs string) {
	begin := s.at
	if !s.next(marks) {
		return
	}
	if s.at++; s.next(signs) {
		s.at++
	}
	if !s.digits() {
		s.at = begin
	}
}

// digits consumes digits and reports whether there was one.
func (s *jsonScanner) digits() (found bool) {
	for ; s.next(digits); found = true {
		s.at++
	}
	return found
}

func (s *jsonScanner) string() bool {
	begin := s.at
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return true
		case c < ' ':
			return s.fail(s.at, "Invalid control character at")
		case c == '\\' && s.at+1 < len(s.text) && !s.escape():
			return false
		}
	}
	return s.fail(begin, "Unterminated string starting at")
}

// escape consumes a backslash and what follows, except for its last character.
func (s *jsonScanner) escape() bool {
	begin := s.at
	s.at++
	if !s.next("u") {
		return s.next(`"\/bfnrt`) || s.fail(begin, `Invalid \escape`)
	}
	if s.at+5 >= len(s.text) { // Python wants a character after the digits
		return s.fail(begin+1, `Invalid \uXXXX escape`)
	}
	for range 4 {
		if s.at++; !s.next(digits + "abcdefABCDEF") {
			return s.fail(begin+1, `Invalid \uXXXX escape`)
		}
	}
	return true
}
