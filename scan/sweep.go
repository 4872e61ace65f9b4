package scan

// sweep is one pass over one content, from left to right. What it finds goes to its matches.
type sweep struct {
	content  string
	from     int // where the content starts, as far as word boundaries go
	live     []token
	extended bool

	*matches

	lastWords [len(heuristics)]lastWord
	tail      jwtTail
	noPEMEnd  bool // no last line of a PEM key follows any more
}

// find returns the best match; its rule is ruleCount when there is none.
func find(content string, live []token, extended bool) span {
	m := keepBest()
	s := &sweep{content: content, live: live, extended: extended, matches: &m}
	s.run()
	return m.best
}

func findAll(content string, live []token, extended bool) []Finding {
	m := collectAll()
	s := sweep{content: content, live: live, extended: extended, matches: &m}
	s.run()
	var out []Finding
	for _, match := range m.sorted() {
		out = append(out, match.finding())
	}
	return out
}

// run looks at every run once, and then for what needs no run.
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

// boundary tells whether an ASCII word boundary lies before byte i of the content, which has a byte i.
func (s *sweep) boundary(i int) bool {
	return s.wordBefore(i) != (classes[s.content[i]]&word != 0)
}

func (s *sweep) wordBefore(i int) bool {
	return i > s.from && classes[s.content[i-1]]&word != 0
}
