package scan

// sweep is one pass over a content, from left to right.
type sweep struct {
	content string
	from    int // the start of the content for word boundaries
	live    []token
	ruleSet

	*matches

	lastWords [len(heuristics)]lastWord
	tail      jwtTail
	noPEMEnd  bool // no last line of a PEM key follows
}

// find returns the best match, or one with rule ruleCount if there is none.
func find(content string, live []token, rules ruleSet) span {
	m := keepBest()
	s := &sweep{content: content, live: live, ruleSet: rules, matches: &m}
	s.run()
	return m.best
}

func findAll(content string, live []token, rules ruleSet) []Finding {
	m := collectAll()
	s := sweep{content: content, live: live, ruleSet: rules, matches: &m}
	s.run()
	var out []Finding
	for _, match := range m.sorted() {
		out = append(out, match.finding())
	}
	return out
}

// run searches every run once, and then for matches that may be outside runs.
func (s *sweep) run() {
	for lo, hi, ok := nextRun(s.content, 0); ok; lo, hi, ok = nextRun(s.content, hi+stride) {
		s.keysIn(lo, hi)
		s.heuristicsIn(lo, hi)
		s.liveTokens(lo, hi, true)
	}
	s.liveTokens(0, len(s.content), false)
	if s.extended {
		s.pemKeys()
	}
}

// boundary reports whether there is an ASCII word boundary before byte i, which must exist.
func (s *sweep) boundary(i int) bool {
	return s.wordBefore(i) != (classes[s.content[i]]&word != 0)
}

func (s *sweep) wordBefore(i int) bool {
	return i > s.from && classes[s.content[i-1]]&word != 0
}
