package secret

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// stretch is the number of bytes of a secret that are redacted wherever they appear. A server, a proxy or a connection that
// breaks off may cut an echo anywhere. Fewer bytes would often be an ordinary word.
const stretch = 8

// Redactor removes known secrets from text. It is immutable and safe for concurrent use. A nil Redactor and the zero value
// change nothing.
type Redactor struct {
	parts grams    // every stretch of the longer secrets
	long  []string // the secrets of a stretch or more, folded
	short []string // the shorter ones, folded
}

// NewRedactor returns a Redactor for the given secrets. Empty secrets are ignored. There is no minimum length, since a short
// token is a token too.
func NewRedactor(secrets ...Secret) *Redactor {
	r := &Redactor{parts: make(grams)}
	for _, s := range secrets {
		text := fold(s.Reveal())
		switch {
		case len(text) >= stretch:
			r.long = append(r.long, text)
			r.parts.add(text)
		case text != "":
			r.short = append(r.short, text)
		}
	}
	return r
}

// Redact returns text that came from outside without the secrets: every eight bytes or more of a secret, and every shorter
// secret as a whole. They are found in the encodings that servers use for an echo; see [Index].
func (r *Redactor) Redact(text string) string {
	if r == nil {
		return text
	}
	return replace(text, func(v *view) {
		r.parts.find(v)
		findAll(v, r.short)
	})
}

// RedactWhole is Redact for text that this module wrote itself. It replaces only whole secrets: an ordinary word of an error
// may also be a part of a secret.
func (r *Redactor) RedactWhole(text string) string {
	if r == nil {
		return text
	}
	return replace(text, func(v *view) {
		findAll(v, r.long)
		findAll(v, r.short)
	})
}

// Index returns the position in text of the first instance of word, plain or encoded, or -1. The encodings are percent-encoding
// of any characters, backslash escapes as in JSON and JavaScript, HTML entities, and one of these in another.
func Index(text, word string) int {
	word = fold(word)
	first := -1
	for v := range views(text) {
		if i := strings.Index(string(v.text), word); i >= 0 {
			if at := v.source(i).start; first < 0 || at < first {
				first = at
			}
		}
	}
	return first
}

// replace puts Redacted in the place of everything that find marks in one of the views of text.
func replace(text string, find func(*view)) string {
	var marked []span
	for v := range views(text) {
		find(v)
		marked = append(marked, v.marked...)
	}
	if len(marked) == 0 {
		return text
	}
	for i := range marked {
		marked[i] = wholeRunes(text, marked[i]) // before they are merged: two may now overlap
	}
	slices.SortFunc(marked, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	var out strings.Builder
	copied := 0
	for i := 0; i < len(marked); {
		group := marked[i]
		for i++; i < len(marked) && marked[i].start < group.end; i++ {
			group.end = max(group.end, marked[i].end)
		}
		out.WriteString(text[copied:group.start])
		out.WriteString(Redacted)
		copied = group.end
	}
	out.WriteString(text[copied:])
	return out.String()
}

// wholeRunes extends s so that it splits no character.
func wholeRunes(text string, s span) span {
	for range utf8.UTFMax - 1 {
		if s.start > 0 && !utf8.RuneStart(text[s.start]) {
			s.start--
		}
		if s.end < len(text) && !utf8.RuneStart(text[s.end]) {
			s.end++
		}
	}
	return s
}

// findAll marks every instance of the words in v.
func findAll(v *view, words []string) {
	text := string(v.text)
	for _, word := range words {
		for at := 0; ; at += len(word) {
			i := strings.Index(text[at:], word)
			if i < 0 {
				break
			}
			at += i
			v.mark(at, at+len(word))
		}
	}
}

// grams is a set of all stretches of some texts. Looking up the stretch at each place of a text takes linear time, whatever
// the number of secrets is.
type grams map[uint64]struct{}

func (g grams) add(text string) {
	var gram uint64
	for i := range len(text) {
		if gram = gram<<8 | uint64(text[i]); i >= stretch-1 {
			g[gram] = struct{}{}
		}
	}
}

// find marks every stretch in v that is in the set. Stretches that overlap are marked as one.
func (g grams) find(v *view) {
	var gram uint64
	var found span
	for i, b := range v.text {
		gram = gram<<8 | uint64(b)
		if _, ok := g[gram]; !ok || i < stretch-1 {
			continue
		}
		if start := i - (stretch - 1); start >= found.end {
			v.mark(found.start, found.end)
			found.start = start
		}
		found.end = i + 1
	}
	v.mark(found.start, found.end)
}
