package scan

import (
	"cmp"
	"slices"
)

// span is a match: the index of the rule in table, and the position.
type span struct{ rule, start, end int }

// before compares matches in the order of FindAll.
func (m span) before(o span) int {
	return cmp.Or(cmp.Compare(m.start, o.start), cmp.Compare(m.rule, o.rule), cmp.Compare(o.end, m.end))
}

func (m span) finding() Finding { return Finding{Rule: table[m.rule], Start: m.start, End: m.end} }

// result returns the results of Find for the best match m.
func (m span) result() (Finding, bool) {
	if m.rule == ruleCount {
		return Finding{}, false
	}
	return m.finding(), true
}

// matches receives the matches of a sweep. It collects all of them or keeps the best.
type matches struct {
	best  span
	found []span
	next  []int // for each rule, the minimum start of its next match; nil if only the best is kept
}

// noMatch is worse than every match. If all matches are collected, it remains the best, so that wants accepts every rule.
var noMatch = span{rule: ruleCount}

func keepBest() matches { return matches{best: noMatch} }

func collectAll() matches { return matches{best: noMatch, next: make([]int, ruleCount)} }

// wants reports whether a match of rule at start would be recorded. Call it before searching for the end of the match: many
// starts, such as those in sk-sk-sk-…, may share one end.
func (m *matches) wants(rule, start int) bool {
	return rule < m.best.rule && (m.next == nil || start >= m.next[rule])
}

// report records a match that is wanted. The matches of one rule must come from left to right.
func (m *matches) report(rule, start, end int) {
	m.add(rule, start, end)
	if m.next != nil {
		m.next[rule] = end
	}
}

// add records a match that may be out of order or overlap another match of its rule, as those of live tokens may.
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

// sorted returns the collected matches in the order of before.
func (m *matches) sorted() []span {
	slices.SortFunc(m.found, span.before)
	return m.found
}
