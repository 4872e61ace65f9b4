package scan

import "strings"

// namedPasses is how often Redact replaces with the rule's name. Two or three passes settle any text. Only with a live
// token that can begin or end inside a replacement might there be no end to it.
const namedPasses = 8

// Redact returns content with every match of every rule replaced by "[REDACTED:<rule name>]", so that FindAll of this
// Scanner reports nothing in the result. All other bytes stay as they are; clean content comes back as it is.
//
// Matches that overlap become one replacement, named after the first of their rules in table order. What follows a
// replacement is looked at afresh, since it no longer continues a word, and replaced if it matches now. What is written
// in place of an AWS key contains "aws", so text in front of it can become a match of rule 10: that is replaced too.
// Where a live token is part of a replacement text, that is "[REDACTED]" without the name.
func (s *Scanner) Redact(content string) string {
	for pass := 0; ; pass++ {
		all := collectAll()
		swept := sweep{content: content, live: s.tokens(), extended: s.extended, matches: &all}
		swept.run()
		if len(all.found) == 0 {
			return content
		}
		// A match has 16 bytes or more, so nameless replacements make the text shorter each time: the loop ends.
		content = swept.replaced(pass < namedPasses)
	}
}

// replaced is the content of a finished sweep with each group of overlapping matches replaced.
func (s *sweep) replaced(named bool) string {
	behind := sweep{content: s.content, extended: s.extended, lastWords: s.lastWords}
	var out strings.Builder
	copied := 0
	found, fresh := s.sorted(), []span(nil)
	for len(found)+len(fresh) > 0 {
		var group span
		group, found = joined(fresh, found)
		out.WriteString(s.content[copied:group.start])
		out.WriteString(s.marker(group.rule, named))
		copied = group.end
		fresh = behind.matchesAt(copied)
	}
	out.WriteString(s.content[copied:])
	return out.String()
}

// marker is what replaces a match of rule.
func (s *sweep) marker(rule int, named bool) string {
	const nameless = "[REDACTED]" // shorter than any live token
	marker := "[REDACTED:" + table[rule].Name + "]"
	for _, t := range s.live {
		named = named && !strings.Contains(marker, t.text)
	}
	if named {
		return marker
	}
	return nameless
}

// joined makes one of the matches that stand first and of all that overlap them. The fresh ones, if any, all start at one
// place, and nothing found starts before it. It returns the one, and what is left of found.
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

// matchesAt returns the matches that start exactly at i when the content before i is gone. No more is looked at than a
// match needs: a long run may be cut in many places.
func (s *sweep) matchesAt(i int) []span {
	all := collectAll()
	s.from, s.matches = i, &all
	if i+minRun <= len(s.content) {
		s.keysIn(i, i+minRun)
		for n := range heuristics {
			s.heuristicAt(n, i)
		}
	}
	return all.found
}
