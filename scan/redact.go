package scan

import (
	"slices"
	"strings"
)

// namedPasses is how often Redact replaces with the rule's name. Two passes settle ordinary text. Only a live token that
// itself looks like part of a replacement can need more; see Redact.
const namedPasses = 8

// Redact returns content with every match of every rule replaced by "[REDACTED:<rule name>]", so that FindAll of this
// Scanner reports nothing in the result. All other bytes stay as they are; clean content comes back as it is.
//
// Matches that overlap become one replacement, named after the first of their rules in table order. What follows a
// replacement is looked at afresh, for it no longer continues a word: a match that begins right there joins the
// replacement. And what is written in place of an AWS key contains "aws", so text in front of it can become a match of
// rule 10, and is replaced too. If a live token is part of such a replacement text, the name is left out: "[REDACTED]".
func (s *Scanner) Redact(content string) string {
	for pass := 0; ; pass++ {
		r := redactor{sweep: sweep{content: content, live: s.tokens(), extended: s.extended, matches: &matches{all: true}}}
		r.run()
		if len(r.found) == 0 {
			return content
		}
		// A match has 16 bytes or more, so nameless replacements make the text shorter each time: the loop ends.
		content = r.replace(pass < namedPasses)
	}
}

// redactor writes the content of a finished sweep again, without the matches.
type redactor struct {
	sweep
	edge sweep // looks at what follows a match
	uEnd int   // the end of the stretch of U that edge looked at last
	out  strings.Builder
}

// replace writes the content with each group of touching matches replaced.
func (r *redactor) replace(named bool) string {
	slices.SortFunc(r.found, span.before)
	r.edge = sweep{content: r.content, extended: r.extended, aws: r.aws, mesh: r.mesh}
	copied := 0
	for rest := r.found; len(rest) > 0; {
		var group span
		group, rest = r.group(rest)
		r.out.WriteString(r.content[copied:group.start])
		r.out.WriteString(marker(group.rule, named))
		copied = group.end
	}
	r.out.WriteString(r.content[copied:])
	return r.out.String()
}

func marker(rule int, named bool) string {
	if !named {
		return "[REDACTED]"
	}
	return "[REDACTED:" + table[rule].Name + "]"
}

// group joins the first match of the list with all that overlap or touch it, and with what matches behind it. It
// returns them as one, and the rest of the list.
func (r *redactor) group(list []span) (span, []span) {
	group := list[0]
	for end := -1; end < group.end; {
		for len(list) > 0 && list[0].start <= group.end {
			group = group.join(list[0])
			list = list[1:]
		}
		end = group.end
		for _, m := range r.matchesAt(end) {
			group = group.join(m)
		}
	}
	return group, list
}

func (m span) join(o span) span {
	return span{rule: min(m.rule, o.rule), start: m.start, end: max(m.end, o.end)}
}

// matchesAt returns the matches that start exactly at i when the content before i is gone. Only what a match needs is
// looked at, not the run to its end: a long run may be cut in many places.
func (r *redactor) matchesAt(i int) []span {
	e := &r.edge
	e.from, e.matches = i, &matches{all: true}
	if i < len(r.content) {
		e.awsSecretsIn(i, endOf(base64, r.content, i, min(i+awsSecretLength, len(r.content))))
		hi := r.stretchEnd(i)
		if hi-i >= minStretch {
			e.keysAt(i, hi)
			e.meshTokenIn(i, hi)
		}
		if r.extended {
			e.dottedKeyBefore(i, hi)
		}
	}
	return slices.DeleteFunc(e.found, func(m span) bool { return m.start != i })
}

// stretchEnd is the end of the stretch of U that holds byte i. The places asked about never go back.
func (r *redactor) stretchEnd(i int) int {
	if i >= r.uEnd {
		r.uEnd = endOf(u, r.content, i, len(r.content))
	}
	return r.uEnd
}
