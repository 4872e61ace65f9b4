package scan

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// search is a search for credentials in one content. It keeps what several starts of a match share.
type search struct {
	content string
	from    int // the start of the content for word boundaries
	live    []key
	ruleSet

	lastWords [meshToken + 1]int // the positions of the words of the heuristic rules; 0 is not known, -1 is none
	tail      jwtTail
	noPEMEnd  bool // no last line of a PEM key follows
}

// keys yields the keys of all rules that are applied, in their order.
func (s *search) keys(yield func(*key) bool) {
	lists := [...][]key{s.live, keys, extendedKeys}
	if !s.extended {
		lists[2] = nil
	}
	for _, list := range lists {
		for n := range list {
			if k := &list[n]; !(s.withoutHeuristics && k.word != "") && !yield(k) {
				return
			}
		}
	}
}

// first returns the leftmost match of the first rule that matches.
func (s *search) first() (Finding, bool) {
	best := span{rule: ruleCount, start: math.MaxInt}
	for k := range s.keys {
		if k.rule > best.rule {
			break
		}
		if start, end := s.next(k, 0); end > 0 {
			best = slices.MinFunc([]span{best, {k.rule, start, end}}, span.compare)
		}
	}
	if best.rule == ruleCount {
		return Finding{}, false
	}
	return best.finding(), true
}

// all returns every match of every rule. Those of a key do not overlap.
func (s *search) all() []span {
	var found []span
	for k := range s.keys {
		for start, end := s.next(k, 0); end > 0; start, end = s.next(k, end) {
			found = append(found, span{k.rule, start, end})
		}
	}
	slices.SortFunc(found, span.compare)
	return found
}

// startingAt returns the matches that start at i, as if the content began at i.
func (s *search) startingAt(i int) (found []span) {
	s.from = i
	for k := range s.keys {
		if i < len(s.content) && strings.HasPrefix(s.content[i:], k.prefix) {
			if end := s.end(k, i); end > 0 {
				found = append(found, span{k.rule, i, end})
			}
		}
	}
	return found
}

// boundary reports whether there is an ASCII word boundary before byte i, which must exist. With escapes there is one after
// an escape sequence, too.
func (s *search) boundary(i int) bool {
	before := i > s.from && classes[s.content[i-1]]&word != 0
	after := classes[s.content[i]]&word != 0
	return before != after || s.escapes && before && endsInEscape(s.content[s.from:i])
}

// span is a match: the index of the rule in table, and the position.
type span struct{ rule, start, end int }

// compare compares matches in the order of FindAll.
func (m span) compare(o span) int {
	return cmp.Or(cmp.Compare(m.start, o.start), cmp.Compare(m.rule, o.rule), cmp.Compare(o.end, m.end))
}

func (m span) finding() Finding { return Finding{Rule: table[m.rule], Start: m.start, End: m.end} }
