package call

import (
	"strings"
	"unicode"
)

// longestSecret is more than any header can hold.
const longestSecret = 16 << 10

// Excerpt returns the first n characters of a body that came from outside. Invalid UTF-8 becomes U+FFFD, so that no
// character is ever split. redact runs on the body as it came and before the cut: a secret with a byte replaced, or half
// of one at the edge, would no longer be recognised. Of a body that was cut when it was read, the end is never shown,
// however short redacting has made the rest.
func Excerpt(body []byte, n int, redact func(string) string) string {
	text := redact(string(body))
	if len(body) >= maxErrorBytes {
		text = text[:max(len(text)-longestSecret, 0)]
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// OneLine keeps a text from outside from writing lines or colours of its own into a log.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
