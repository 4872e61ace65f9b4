package scan

import "strings"

// namedPasses is the number of passes in which Redact writes the names of rules. Two or three passes are enough for any text,
// unless a live token can begin or end within a replacement.
const namedPasses = 8

// Redact returns content with every match of every rule replaced by "[REDACTED:<rule name>]". FindAll of the same Scanner finds
// nothing in the result. All other bytes are unchanged.
//
// Matches that overlap become one replacement, with the name of the first of their rules. The text after a replacement begins a
// new word, and is replaced too if it then matches. The replacement of an AWS key contains "aws", so text before it may match
// rule 10, and is then replaced too. If a live token is a part of a replacement, the replacement is "[REDACTED]".
func (s *Scanner) Redact(content string) string {
	for pass := 0; ; pass++ {
		search := &search{content: content, live: s.tokens(), ruleSet: s.ruleSet}
		found := search.all()
		if len(found) == 0 {
			return content
		}
		// A match has 16 bytes or more, so a replacement without a name makes the text shorter: the loop ends.
		content = search.replaced(found, pass < namedPasses)
	}
}

// replaced returns the content with each group of overlapping matches replaced.
func (s *search) replaced(found []span, named bool) string {
	var out strings.Builder
	copied := 0
	for fresh := []span(nil); len(found)+len(fresh) > 0; fresh = s.startingAt(copied) {
		var group span
		group, found = joined(fresh, found)
		out.WriteString(s.content[copied:group.start])
		out.WriteString(s.marker(group.rule, named))
		copied = group.end
	}
	out.WriteString(s.content[copied:])
	return out.String()
}

// marker returns the replacement of a match.
func (s *search) marker(rule int, named bool) string {
	const nameless = "[REDACTED]" // shorter than any live token
	marker := "[REDACTED:" + table[rule].Name + "]"
	for _, token := range s.live {
		named = named && !strings.Contains(marker, token.prefix)
	}
	if named {
		return marker
	}
	return nameless
}

// joined merges the first matches with all that overlap them, and returns the merged match and the rest of found. The fresh
// matches, if any, start at the same position, and no match in found starts before it.
func joined(fresh, found []span) (span, []span) {
	if len(fresh) == 0 {
		fresh, found = found[:1], found[1:]
	}
	group := fresh[0]
	for _, m := range fresh[1:] {
		group = group.join(m)
	}
	for len(found) > 0 && found[0].start < group.end {
		group = group.join(found[0])
		found = found[1:]
	}
	return group, found
}

func (m span) join(o span) span {
	return span{rule: min(m.rule, o.rule), start: m.start, end: max(m.end, o.end)}
}
