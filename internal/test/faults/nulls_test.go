package faults_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// place locates a value in a document: as a path, and as text such as messages[].id.
type place struct {
	at      path
	written string
}

// places returns all values in a document, starting with the document itself.
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

// runNulls puts null into each place in a good response, one at a time.
func (m *matrix) runNulls(keyed bool) {
	m.t.Helper()
	var trials []*trial
	for _, op := range m.ops {
		if op.keyed != keyed {
			continue
		}
		found := make(map[string]bool)
		for i, p := range places(parse(m.responses[op][op.skip].body), place{}) {
			found[p.written], found[pathText(p.at)] = true, true
			if i%whole.Cases(8, 32) == 0 || whole.Tests() {
				trials = append(trials, m.nullTrial(op, p))
			}
		}
		for declared := range op.nulls {
			assert.True(m.t, found[declared], "%s: no %q in the body", op.name, declared)
		}
	}
	m.batch(&fault{}, trials)
	for _, c := range trials {
		m.countNull(c)
	}
}

func (m *matrix) nullTrial(op *operation, p place) *trial {
	want, breaks := op.nulls[pathText(p.at)]
	if !breaks {
		want, breaks = op.nulls[p.written]
	}
	if !breaks {
		want = anyResult
	}
	f := &fault{name: "null at " + p.written + " " + strconv.Quote(pathText(p.at)), want: want, status: 200, play: func(x *exchange) {
		x.send(200, replace(x.good.body, p.at, "null"))
	}}
	c := m.trial(op, f, false)
	c.want = want // nulls declare their own outcomes
	return c
}

func (m *matrix) countNull(c *trial) {
	counts := m.nulls[c.op]
	if m.seen[c.fault][c.op].meets(anyResult) {
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
