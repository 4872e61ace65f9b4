package call

import "strings"

// Excerpt returns the first n characters of a body that came from outside. Invalid UTF-8 becomes U+FFFD, so that no
// character is ever split. redact runs before the cut: half a secret at the edge would no longer be recognised.
func Excerpt(body []byte, n int, redact func(string) string) string {
	text := redact(strings.ToValidUTF8(string(body), "\uFFFD"))
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
