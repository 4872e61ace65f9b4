package scan

import (
	"strings"
	"unicode/utf8"
)

// minToken is the minimum length of a live token in characters.
const minToken = 16

// token is one live token.
type token struct {
	text string
	// inRun means that the text can only occur in a run. Text outside runs, such as prose, is then not searched for it.
	inRun bool
}

// newToken returns a token for text without surrounding white space, and reports whether it is long enough.
func newToken(text string) (token, bool) {
	text = strings.TrimSpace(text)
	if len(text) >= minRun && isRun(text) {
		return token{text: text, inRun: true}, true
	}
	return token{text: text}, utf8.RuneCountInString(text) >= minToken
}

// liveTokens reports the live tokens in content[lo:hi]: those that only occur in runs, or the others.
func (s *sweep) liveTokens(lo, hi int, inRun bool) {
	for _, t := range s.live {
		if t.inRun == inRun {
			s.liveToken(t.text, lo, hi)
		}
	}
}

// liveToken reports the instances of text in content[lo:hi] that do not overlap.
func (s *sweep) liveToken(text string, lo, hi int) {
	for {
		i := strings.Index(s.content[lo:hi], text)
		if i < 0 {
			return
		}
		start := lo + i
		lo = start + len(text)
		s.add(liveToken, start, lo)
		if s.next == nil {
			return // the first one is the best
		}
	}
}
