package faults_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/stretchr/testify/assert"
)

// place is a value within a document: where it is, and how that is written, as in messages[].id.
type place struct {
	at      path
	written string
}

// places lists every value of a document, itself first.
func places(value any, here place) []place {
	all := []place{here}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			written := name
			if here.written != "" {
				written = here.written + "." + name
			}
			all = append(all, places(v[name], place{append(slices.Clone(here.at), name), written})...)
		}
	case []any:
		for i := range v {
			all = append(all, places(v[i], place{append(slices.Clone(here.at), i), here.written + "[]"})...)
		}
	}
	return all
}

// playNulls puts null into every place of the answer that goes wrong, one after the other.
func (m *matrix) playNulls(keyed bool) {
	m.t.Helper()
	var cells []*cell
	for _, op := range m.ops {
		if op.keyed != keyed {
			continue
		}
		found := make(map[string]bool)
		for _, p := range places(parse(m.tapes[op][op.skip].body), place{}) {
			found[p.written] = true
			cells = append(cells, m.nullCell(op, p))
		}
		for declared := range op.nulls {
			assert.True(m.t, found[declared], "%s: there is no %q in the body", op.name, declared)
		}
	}
	m.batch(&fault{}, cells)
	for _, c := range cells {
		m.countNull(c)
	}
}

func (m *matrix) nullCell(op *operation, p place) *cell {
	want, breaks := op.nulls[p.written]
	if !breaks {
		want = fine
	}
	f := &fault{name: "null at " + p.written + " " + strconv.Quote(pathText(p.at)), want: want, status: 200, play: func(x *exchange) {
		x.send(200, replace(x.good.body, p.at, "null"))
	}}
	c := m.cell(op, f, false)
	c.want = want // exceptions are for the class of a fault; null has its own list
	return c
}

func (m *matrix) countNull(c *cell) {
	counts := m.nulls[c.op]
	if m.seen[c.fault][c.op].meets(fine) {
		counts[0]++
	} else {
		counts[1]++
	}
	m.nulls[c.op] = counts
}

func pathText(at path) string {
	text, _ := json.Marshal(at)
	return string(text)
}
