package scan

import (
	"cmp"
	"math"
	"math/bits"
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

// table returns the keys of the rules that are applied, apart from live tokens.
func (s *search) table() *keyTable {
	if s.extended {
		return extendedTable
	}
	return standardTable
}

// key returns the live tokens, and after them the keys of the table.
func (s *search) key(n int) *key {
	if n < len(s.live) {
		return &s.live[n]
	}
	return &s.table().keys[n-len(s.live)]
}

// candidates yields the keys that the content may have, in the order of their rules, and where to search for them. It yields
// no pointers, which would move the content of Find to the heap.
func (s *search) candidates(yield func(n, at int) bool) {
	for n := range s.live {
		if !yield(n, 0) {
			return
		}
	}
	first := s.sweep(s.table())
	for set := first.found; set != 0; set &= set - 1 {
		n := bits.TrailingZeros64(uint64(set))
		if !yield(len(s.live)+n, first.at[n]) {
			return
		}
	}
}

// first returns the leftmost match of the first rule that matches.
func (s *search) first() (Finding, bool) {
	best := span{rule: ruleCount, start: math.MaxInt}
	for n, i := range s.candidates {
		k := s.key(n)
		if k.rule > best.rule {
			break
		}
		if start, end := s.next(k, i); end > 0 {
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
	for n, i := range s.candidates {
		k := s.key(n)
		for start, end := s.next(k, i); end > 0; start, end = s.next(k, end) {
			found = append(found, span{k.rule, start, end})
		}
	}
	slices.SortFunc(found, span.compare)
	return found
}

// startingAt returns the matches that start at i, as if the content began at i.
func (s *search) startingAt(i int) (found []span) {
	s.from = i
	for n := range len(s.live) + len(s.table().keys) {
		if k := s.key(n); i < len(s.content) && strings.HasPrefix(s.content[i:], k.prefix) {
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
