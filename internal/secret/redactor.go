package secret

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// stretch is the number of consecutive secret bytes that are always redacted. An echo may
// be cut anywhere by a server, a proxy or a broken connection. Shorter stretches are
// often ordinary words.
const stretch = 8

// Redactor removes known secrets from text. It's immutable and safe for concurrent use. A
// nil Redactor and the zero value change nothing.
type Redactor struct {
	parts grams    // every stretch in a longer secret
	long  []string // secrets with at least stretch bytes, folded
	short []string // shorter secrets, folded
}

// NewRedactor returns a Redactor for the given secrets. It ignores empty secrets, but
// accepts any other length: short tokens are tokens, too.
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

// Redact removes secrets from external text: at least eight consecutive bytes from a
// secret, and shorter secrets as a whole. It finds them in the encodings that [Index]
// lists.
func (r *Redactor) Redact(text string) string {
	if r == nil {
		return text
	}
	return replace(text, func(v *view) {
		r.parts.find(v)
		findAll(v, r.short)
	})
}

// RedactWhole removes only whole secrets. Use it for this module's own text, where a part
// of a secret may be an ordinary word.
func (r *Redactor) RedactWhole(text string) string {
	if r == nil {
		return text
	}
	return replace(text, func(v *view) {
		findAll(v, r.long)
		findAll(v, r.short)
	})
}

// Index returns the position of word in text, plain or encoded, or -1. It decodes
// percent-encoding, backslash escapes as in JSON and JavaScript, HTML entities, and one
// encoding within another.
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

// replace substitutes Redacted for everything that find marks in a view.
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
		marked[i] = wholeRunes(text, marked[i]) // before merging, because this may make two overlap
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

// wholeRunes extends s to whole characters.
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

// grams is a set of stretches. Looking up each position takes linear time, no matter how
// many secrets there are.
type grams map[uint64]struct{}

func (g grams) add(text string) {
	var gram uint64
	for i := range len(text) {
		if gram = gram<<8 | uint64(text[i]); i >= stretch-1 {
			g[gram] = struct{}{}
		}
	}
}

// find marks every stretch in the set. Overlapping stretches are marked as one.
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
