package scan

import "cmp"

// span is a match: a place in the rule table, and the bytes.
type span struct{ rule, start, end int }

// before orders matches as FindAll lists them.
func (m span) before(o span) int {
	return cmp.Or(cmp.Compare(m.start, o.start), cmp.Compare(m.rule, o.rule), cmp.Compare(o.end, m.end))
}

func (m span) finding() Finding { return Finding{Rule: table[m.rule], Start: m.start, End: m.end} }

// matches is where the matches of a sweep go: it collects them all, or keeps the best.
type matches struct {
	all   bool // collect; otherwise keep the best
	best  span
	found []span
	next  [ruleCount]int // when collecting: where the next match of each rule may start
}

// wants tells whether a match of rule at start would be of use. Ask before looking closer: it is what keeps nested
// starts, such as those of sk-sk-sk-…, from being followed to their common end over and over.
func (m *matches) wants(rule, start int) bool {
	if m.all {
		return start >= m.next[rule]
	}
	return rule < m.best.rule
}

// report takes a match that wants had use for. Matches of one rule are reported from left to right.
func (m *matches) report(rule, start, end int) {
	if m.wants(rule, start) {
		m.add(rule, start, end)
		m.next[rule] = end
	}
}

// add takes a match in any order.
func (m *matches) add(rule, start, end int) {
	match := span{rule, start, end}
	switch {
	case m.all:
		m.found = append(m.found, match)
	case rule < m.best.rule, rule == m.best.rule && match.before(m.best) < 0:
		m.best = match
	}
}
