package scan

import "slices"

// sweep is one pass over one content, from left to right. What it finds goes to its matches.
type sweep struct {
	content  string
	from     int // where the content starts, as far as word boundaries go
	live     []token
	extended bool

	*matches

	aws  later
	mesh later
	tail jwtTail

	noPEMEnd bool // no last line of a PEM key follows any more
}

func find(content string, live []token, extended bool) (Finding, bool) {
	m := matches{best: span{rule: ruleCount}}
	s := sweep{content: content, live: live, extended: extended, matches: &m}
	s.run()
	if m.best.rule == ruleCount {
		return Finding{}, false
	}
	return m.best.finding(), true
}

func findAll(content string, live []token, extended bool) []Finding {
	m := matches{all: true}
	s := sweep{content: content, live: live, extended: extended, matches: &m}
	s.run()
	slices.SortFunc(m.found, span.before)
	var out []Finding
	for _, match := range m.found {
		out = append(out, match.finding())
	}
	return out
}

// run visits every run once, and gives each to the three parties that are interested. What needs no run follows.
func (s *sweep) run() {
	for lo, hi, ok := nextRun(s.content, 0); ok; lo, hi, ok = nextRun(s.content, hi+stride) {
		s.stretches(lo, hi)
		s.awsSecrets(lo, hi)
		s.liveTokens(lo, hi, true)
	}
	s.liveTokens(0, len(s.content), false)
	if s.extended {
		s.pemKeys()
	}
}

// boundary tells whether an ASCII word boundary lies before byte i of the content, which has a byte i.
func (s *sweep) boundary(i int) bool {
	return s.wordBefore(i) != (classes[s.content[i]]&word != 0)
}

func (s *sweep) wordBefore(i int) bool {
	return i > s.from && classes[s.content[i-1]]&word != 0
}
