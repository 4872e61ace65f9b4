package scan

import (
	"strings"
	"unicode/utf8"
)

// minToken is the length in characters from which a live token counts: SPEC.md, "Limits", live-token exact match.
const minToken = 16

// token is one live token.
type token struct {
	text string
	// inRun: the text can only stand inside a run that the sweep visits anyway, so that ordinary prose is not searched.
	inRun bool
}

// newToken makes a token of text without the white space around it, and reports whether it is long enough to count.
func newToken(text string) (token, bool) {
	text = strings.TrimSpace(text)
	if len(text) >= minRun && isRun(text) {
		return token{text: text, inRun: true}, true
	}
	return token{text: text}, utf8.RuneCountInString(text) >= minToken
}

// liveTokens reports the live tokens in content[lo:hi] of one sort: those that stand in runs, or the others.
func (s *sweep) liveTokens(lo, hi int, inRun bool) {
	for _, t := range s.live {
		if t.inRun == inRun {
			s.liveToken(t.text, lo, hi)
		}
	}
}

// liveToken reports where text stands in content[lo:hi], places that overlap the one before left out.
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
			return // one is enough where the best is kept
		}
	}
}
