package scan

import "strings"

// heuristic is a rule that takes length characters of a class for a credential when a certain word stands behind them.
type heuristic struct {
	rule   int
	of     class
	length int
	greedy bool // takes more of the class where there is more
	word   string
}

// heuristics are rules 10 and 12 of SPEC.md, "Credential scan".
var heuristics = [...]heuristic{
	{rule: awsSecret, of: base64, length: 40, word: "aws"},
	{rule: meshToken, of: u, length: 48, word: "MESH_GATEWAY_TOKEN", greedy: true},
}

// lastWord is where the word of a heuristic stands last in a content. It is looked up when first asked for, and once:
// looking anew for every candidate is how a scan becomes quadratic.
type lastWord struct {
	asked bool
	at    int // -1: nowhere
}

func (l *lastWord) find(content, word string) int {
	if !l.asked {
		l.asked, l.at = true, -1
		// LastIndex alone would do. It takes several times as long to say no, which is the usual answer.
		if strings.Contains(content, word) {
			l.at = strings.LastIndex(content, word)
		}
	}
	return l.at
}

// heuristicsIn reports what rules 10 and 12 find in a run.
func (s *sweep) heuristicsIn(lo, hi int) {
	for n := range heuristics {
		h, last := &heuristics[n], &s.lastWords[n]
		if hi-lo < h.length || last.asked && last.at < lo+h.length {
			continue
		}
		s.heuristicIn(n, lo, hi)
	}
}

// heuristicIn reports the n-th heuristic in a run.
func (s *sweep) heuristicIn(n, lo, hi int) {
	h := &heuristics[n]
	limit := hi - h.length + 1
	checked := lo // what lies between i and here is of the class
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

// nextBoundary returns the first word boundary from i on, limit if there is none before it. A class may hold letters and
// other characters, so it can lie inside a stretch: before a letter that follows a slash, or a slash that follows a letter.
func (s *sweep) nextBoundary(i, limit int) int {
	if s.wordBefore(i) {
		return endOf(word, s.content, i, limit)
	}
	return wordStart(s.content, i, limit)
}

// heuristicAt reports the n-th heuristic at i alone.
func (s *sweep) heuristicAt(n, i int) {
	h := &heuristics[n]
	checked := i + h.length
	if checked > len(s.content) || lastNot(h.of, s.content, i, checked) >= 0 || !s.boundary(i) {
		return
	}
	if end := s.heuristicEnd(n, i); end > 0 {
		s.report(h.rule, i, end)
	}
}

// heuristicEnd is where the match ends that begins at i with enough characters of the class. It is 0 if the word does
// not follow; then it follows no later candidate either.
func (s *sweep) heuristicEnd(n, i int) int {
	h := &heuristics[n]
	end := i + h.length
	last := s.lastWords[n].find(s.content, h.word)
	switch {
	case last < end:
		return 0
	case h.greedy:
		// The word may stand inside this very stretch, and must stay behind the match.
		return endOf(h.of, s.content, end, last)
	default:
		return end
	}
}
