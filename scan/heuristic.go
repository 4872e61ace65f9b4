package scan

import "strings"

// heuristic is a rule that matches length characters of a class if a certain word follows anywhere later.
type heuristic struct {
	rule   int
	of     class
	length int
	greedy bool // the match extends to all following characters of the class
	word   string
}

// heuristics are rules 10 and 12.
var heuristics = [...]heuristic{
	{rule: awsSecret, of: base64, length: 40, word: "aws"},
	{rule: meshToken, of: u, length: 48, word: "MESH_GATEWAY_TOKEN", greedy: true},
}

// lastWord is the position of the last instance of a heuristic's word. It is searched for once, when it is first needed: a
// search for every candidate would make the scan quadratic.
type lastWord struct {
	known bool
	at    int // -1: not found
}

func (l *lastWord) find(content, word string) int {
	if !l.known {
		l.known, l.at = true, -1
		// Contains is several times as fast as LastIndex if the word is absent, which is the usual case.
		if strings.Contains(content, word) {
			l.at = strings.LastIndex(content, word)
		}
	}
	return l.at
}

// heuristicsIn reports the matches of rules 10 and 12 in a run.
func (s *sweep) heuristicsIn(lo, hi int) {
	if s.withoutHeuristics {
		return
	}
	for n := range heuristics {
		h, last := &heuristics[n], &s.lastWords[n]
		if hi-lo < h.length || last.known && last.at < lo+h.length {
			continue
		}
		s.heuristicIn(n, lo, hi)
	}
}

// heuristicIn reports the matches of the n-th heuristic in a run.
func (s *sweep) heuristicIn(n, lo, hi int) {
	h := &heuristics[n]
	limit := hi - h.length + 1
	checked := lo // content[i:checked] is of the class
	for i := s.nextBoundary(lo, limit); i < limit && s.wants(h.rule, i); i = s.nextBoundary(i, limit) {
		from := max(i, checked)
		checked = i + h.length
		if bad := lastNot(h.of, s.content, from, checked); bad >= 0 {
			i = bad + 1
			continue
		}
		end := s.heuristicEnd(n, i)
		if end == 0 {
			return
		}
		s.report(h.rule, i, end)
		i = end
	}
}

// nextBoundary returns the position of the first word boundary in content[i:limit], or limit. A class may contain letters and
// other characters, so a boundary can be within characters of the class: between a slash and a letter for example.
func (s *sweep) nextBoundary(i, limit int) int {
	if s.wordBefore(i) {
		return endOf(word, s.content, i, limit)
	}
	return wordStart(s.content, i, limit)
}

// heuristicAt reports a match of the n-th heuristic that starts at i.
func (s *sweep) heuristicAt(n, i int) {
	h := &heuristics[n]
	checked := i + h.length
	if s.withoutHeuristics || checked > len(s.content) || lastNot(h.of, s.content, i, checked) >= 0 || !s.boundary(i) {
		return
	}
	if end := s.heuristicEnd(n, i); end > 0 {
		s.report(h.rule, i, end)
	}
}

// heuristicEnd returns the end of the match that starts at i with enough characters of the class. It returns 0 if the word does
// not follow; it then follows no later candidate either.
func (s *sweep) heuristicEnd(n, i int) int {
	h := &heuristics[n]
	end := i + h.length
	last := s.lastWords[n].find(s.content, h.word)
	switch {
	case last < end:
		return 0
	case h.greedy:
		// The word may itself be of the class. The match must end before it.
		return endOf(h.of, s.content, end, last)
	default:
		return end
	}
}
