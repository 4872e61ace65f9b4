package faults_test

import (
	"fmt"
	"strings"
)

// report prints the table, a column for each operation, and fails for every cell that is wrong.
func (m *matrix) report() {
	m.t.Helper()
	var table strings.Builder
	table.WriteString("\n")
	for i, op := range m.ops {
		fmt.Fprintf(&table, "%3d %s\n", i+1, op.name)
	}
	m.writeRows(&table)
	fmt.Fprintf(&table, "%d faults, %d operations, %d cells, %d wrong\n", len(m.faults), len(m.ops), m.cells, len(m.wrong))
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

func (m *matrix) writeRows(table *strings.Builder) {
	fmt.Fprintf(table, "\n%-34s", "")
	for i := range m.ops {
		fmt.Fprintf(table, "%7d", i+1)
	}
	table.WriteString("\n")
	for _, f := range m.faults {
		fmt.Fprintf(table, "%-34s", f.name)
		for _, op := range m.ops {
			fmt.Fprintf(table, "%7s", m.seen[f][op])
		}
		table.WriteString("\n")
	}
	fmt.Fprintf(table, "%-34s", "null in each place: good+bad")
	for _, op := range m.ops {
		fmt.Fprintf(table, "%7s", fmt.Sprintf("%d+%d", m.nulls[op][0], m.nulls[op][1]))
	}
	table.WriteString("\n")
}
