package scan

import (
	"strings"
	"unicode/utf8"
)

// minToken is the minimum length of a live token in characters.
const minToken = 16

// newToken returns the key of a live token, text without surrounding white space, and reports whether it is long enough.
func newToken(text string) (key, bool) {
	text = strings.TrimSpace(text)
	return key{rule: liveToken, prefix: text, anywhere: true}, utf8.RuneCountInString(text) >= minToken
}
