package call

import (
	"strings"
	"unicode"
)

// maxSecret is more than the length of any token that fits into a header.
const maxSecret = 16 << 10

// Excerpt returns the first n characters of a response body, redacted. Invalid UTF-8 becomes U+FFFD, and no character is split.
//
// redact runs before anything else, since it would not recognize a credential with a replaced byte or a part of one. For the
// same reason the end of a body that was read only in part is not shown. No more than the first 64 KiB are read.
func Excerpt(body []byte, n int, redact func(string) string) string {
	body = body[:min(len(body), maxErrorBytes)]
	text := redact(string(body))
	if len(body) >= maxErrorBytes {
		text = text[:max(len(text)-maxSecret, 0)]
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

// OneLine replaces control characters and line separators by blanks, so that text from outside cannot add lines or colors to a log.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)
}
