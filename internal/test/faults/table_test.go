package faults_test

import (
	"fmt"
	"slices"
	"strings"
)

const legend = `ok: same result as without the fault. ok*: another good result. none: an empty result. net: no complete response.
time: timeout. status: not 2xx. auth: 401 or 403. limit: 429. decode: not as documented. large: over the limit.
part: a part is unreadable. absent: the recipient isn't in the registry. -: impossible with this operation.
Discovery operations run twice, with and without WithStrictErrors. Each null is one run.
`

// report prints all faults for the full operations, then the sample for all operations.
// It fails for wrong trials.
func (m *matrix) report() {
	m.t.Helper()
	var table strings.Builder
	table.WriteString("\n")
	for i, op := range m.ops {
		fmt.Fprintf(&table, "%3d %s\n", i+1, op.name)
	}
	full := slices.DeleteFunc(slices.Clone(m.ops), func(op *operation) bool { return !op.full })
	m.writeTable(&table, m.faults, full)
	m.writeTable(&table, slices.DeleteFunc(slices.Clone(m.faults), func(f *fault) bool { return !slices.Contains(sample, f.name) }), m.ops)
	m.writeNulls(&table)
	fmt.Fprintf(&table, "%d faults, %d operations, %d trials, %d wrong\n", len(m.faults), len(m.ops), m.trials, len(m.wrong))
	table.WriteString(legend)
	m.t.Log(table.String())
	const enough = 40
	for i, text := range m.wrong {
		if i == enough {
			m.t.Errorf("and %d more", len(m.wrong)-enough)
			return
		}
		m.t.Error(text)
	}
}

func (m *matrix) writeTable(table *strings.Builder, faults []*fault, ops []*operation) {
	fmt.Fprintf(table, "\n%-36s", "")
	for _, op := range ops {
		fmt.Fprintf(table, "%7d", slices.Index(m.ops, op)+1)
	}
	for _, f := range faults {
		fmt.Fprintf(table, "\n%-36s", f.name)
		for _, op := range ops {
			fmt.Fprintf(table, "%7s", m.seen[f][op])
		}
	}
	table.WriteString("\n")
}

// writeNulls writes per operation in how many places null is accepted and refused.
func (m *matrix) writeNulls(table *strings.Builder) {
	fmt.Fprintf(table, "%-36s", "null in each place: accepted+refused")
	for _, op := range m.ops {
		fmt.Fprintf(table, "%7s", fmt.Sprintf("%d+%d", m.nulls[op][0], m.nulls[op][1]))
	}
	table.WriteString("\n\n")
}
