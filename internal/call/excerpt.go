package call

import "strings"

// Excerpt returns the first n characters of a body that came from outside. Invalid UTF-8 becomes U+FFFD, so that no
// character is ever split. redact runs on the body as it came and before the cut: a secret with a byte replaced, or half
// of one at the edge, would no longer be recognised.
func Excerpt(body []byte, n int, redact func(string) string) string {
	text := strings.ToValidUTF8(redact(string(body)), "\uFFFD")
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
