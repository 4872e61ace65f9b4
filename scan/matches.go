package scan

import (
	"cmp"
	"slices"
)

// span is a match: a place in the rule table, and the bytes.
type span struct{ rule, start, end int }

// before orders matches as FindAll lists them.
func (m span) before(o span) int {
	return cmp.Or(cmp.Compare(m.start, o.start), cmp.Compare(m.rule, o.rule), cmp.Compare(o.end, m.end))
}

func (m span) finding() Finding { return Finding{Rule: table[m.rule], Start: m.start, End: m.end} }

// result is Find's answer when m is the best match.
func (m span) result() (Finding, bool) {
	if m.rule == ruleCount {
		return Finding{}, false
	}
	return m.finding(), true
}

// matches is where the matches of a sweep go: all are collected, or the best is kept.
type matches struct {
	best  span
	found []span
	next  []int // for each rule, where its next match may start; nil when the best is kept
}

// noMatch is worse than every match. When all are collected it stays the best, so that every rule is wanted.
var noMatch = span{rule: ruleCount}

func keepBest() matches { return matches{best: noMatch} }

func collectAll() matches { return matches{best: noMatch, next: make([]int, ruleCount)} }

// wants tells whether a match of rule at start would be of use. Ask before following a start to its end: many starts,
// such as those of sk-sk-sk-…, may share one end.
func (m *matches) wants(rule, start int) bool {
	return rule < m.best.rule && (m.next == nil || start >= m.next[rule])
}

// report takes a match that is wanted. Those of one rule come from left to right.
func (m *matches) report(rule, start, end int) {
	m.add(rule, start, end)
	if m.next != nil {
		m.next[rule] = end
	}
}

// add takes a match that may come out of order, or overlap another of its rule, as those of live tokens may.
func (m *matches) add(rule, start, end int) {
	match := span{rule, start, end}
	if m.next != nil {
		m.found = append(m.found, match)
		return
	}
	if rule < m.best.rule || rule == m.best.rule && match.before(m.best) < 0 {
		m.best = match
	}
}

// sorted returns what was collected, in the order of before.
func (m *matches) sorted() []span {
	slices.SortFunc(m.found, span.before)
	return m.found
}
