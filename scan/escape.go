package scan

import "strings"

// WithEscapes makes an escape sequence such as \n a word boundary, as in the string literals of source files: it lets the
// match in "key:\nsk-…" start. Package client checks messages, which are text, without it.
func WithEscapes() Option {
	return func(c *config) { c.escapes = true }
}

const (
	maxEscape   = len(`\U0001F600`)
	hexDigits   = "0123456789abcdefABCDEF"
	octalDigits = "01234567"
)

// endsInEscape reports whether text ends in an escape sequence of C, Go, JSON, JavaScript or Python. A literal may be within
// another one, so that the number of backslashes says nothing.
func endsInEscape(text string) bool {
	text = text[max(0, len(text)-maxEscape):]
	i := strings.LastIndexByte(text, '\\') + 1
	if i == 0 || i == len(text) {
		return false
	}
	letter, digits := text[i], text[i+1:]
	switch {
	case digits == "":
		return strings.IndexByte("abefnrtv"+octalDigits, letter) >= 0
	case letter == 'x':
		return len(digits) == 2 && strings.Trim(digits, hexDigits) == ""
	case letter == 'u':
		return len(digits) == 4 && strings.Trim(digits, hexDigits) == ""
	case letter == 'U':
		return len(digits) == 8 && strings.Trim(digits, hexDigits) == ""
	}
	return len(text[i:]) <= 3 && strings.Trim(text[i:], octalDigits) == ""
}
