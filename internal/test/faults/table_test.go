package faults_test

import (
	"fmt"
	"strings"
)

// legend is what the codes in the table mean, and the number of cells beyond one for each fault and operation.
const legend = `
ok as without the fault, ok* another good answer, none an empty one; net no whole answer, time not in time, status not 2xx,
auth 401 and 403, limit 429, decode not what is documented, large over the limit, part a part could not be read, absent no such
recipient; - cannot happen here, . not played here since it is heavy. Nulls: places where it does no harm + where it is refused.
Operations of discovery are played twice, with lenient and with strict errors; each place of a null is a cell.
`

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
