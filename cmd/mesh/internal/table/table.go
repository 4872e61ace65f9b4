// Package table writes tables, of costs and others, and paragraphs for a terminal of some width, and formats numbers and periods for people.
// Names are never cut: columns are left out, and names wrap.
package table

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

// Column is a column of a [Table]. Cells of a column that has neither Key nor Text are shown in whole or not at all.
type Column struct {
	Title string
	// Right aligns numbers.
	Right bool
	// Key marks names, which wrap at hyphens and dots and are never cut.
	Key bool
	// Text marks free text, which may be cut.
	Text bool
	// Drop is the place in the order in which columns are left out until a row fits, beginning with 1; 0 stays. Late columns, which are the
	// last of that order, are left out after the keys have wrapped.
	Drop int
	Late bool
	// Style returns a cell with escape sequences around words; nil leaves it as it is. It does not change the width.
	Style func(cell string) string
}

// Key returns a column of names, which are never cut: they wrap at hyphens, dots and blanks.
func Key(title string) Column { return Column{Title: title, Key: true} }

// Plain returns a column of short values, which are shown in whole or not at all. drop is its place in the order in which columns are left
// out on a terminal, beginning with 1; a column with 0 stays.
func Plain(title string, drop int) Column { return Column{Title: title, Drop: drop} }

// Free returns a column of free text, which is cut on a terminal.
func Free(title string) Column { return Column{Title: title, Text: true} }

// Table is a table with a cell for each column in every row.
type Table struct {
	Columns []Column
	Rows    [][]string
}

// Remove removes a column.
func (t *Table) Remove(column int) {
	t.Columns = slices.Delete(t.Columns, column, column+1)
	for i, row := range t.Rows {
		t.Rows[i] = slices.Delete(row, column, column+1)
	}
}

// Rows returns the cells of each element of a list.
func Rows[T any](list []T, cells func(*T) []string) [][]string {
	rows := make([][]string, len(list))
	for i := range list {
		rows[i] = cells(&list[i])
	}
	return rows
}

const (
	gap = "  " // between columns
	// minText is the width to which a Text is cut before columns are left out.
	minText = 16
)

// layout is what fits of a table: the columns that are shown and their widths. stacked is set if not even the keys and what stays fit
// beside each other.
type layout struct {
	kept    []int
	widths  []int
	stacked bool
}

func (l *layout) total() int {
	n := len(gap) * (len(l.kept) - 1)
	for _, width := range l.widths {
		n += width
	}
	return n
}

// Shows reports whether a column is shown in width columns of a terminal; 0 has no limit.
func (t *Table) Shows(column, width int) bool {
	return slices.Contains(t.layout(width).kept, column)
}

// layout leaves out columns in their order, wraps the keys before the first late one, and gives up when none is left.
func (t *Table) layout(width int) (l layout) {
	natural, least := t.widths()
	var drops []int
	for i, c := range t.Columns {
		l.kept = append(l.kept, i)
		if c.Drop > 0 {
			drops = append(drops, i)
		}
	}
	slices.SortStableFunc(drops, func(a, b int) int { return cmp.Compare(t.Columns[a].Drop, t.Columns[b].Drop) })
	for wrap := false; ; {
		l.widths = l.widths[:0]
		for _, i := range l.kept {
			l.widths = append(l.widths, natural[i])
		}
		if width > 0 {
			t.shrink(&l, width, least, func(c Column) bool { return c.Text })
			t.shrink(&l, width, least, func(c Column) bool { return c.Key && wrap })
		}
		switch {
		case width <= 0 || l.total() <= width:
			return l
		case len(drops) > 0 && (wrap || !t.Columns[drops[0]].Late):
			l.kept = slices.DeleteFunc(l.kept, func(i int) bool { return i == drops[0] })
			drops = drops[1:]
		case !wrap:
			wrap = true
		default:
			l.stacked = true
			return l
		}
	}
}

// widths returns the width of each column, and the least width that keys and texts can have.
func (t *Table) widths() (natural, least []int) {
	natural, least = make([]int, len(t.Columns)), make([]int, len(t.Columns))
	for i, c := range t.Columns {
		natural[i], least[i] = Width(c.Title), Width(c.Title)
		for _, row := range t.Rows {
			cell := Line(row[i])
			natural[i] = max(natural[i], Width(cell))
			if c.Key {
				least[i] = max(least[i], longest(cell))
			}
		}
		if c.Text {
			least[i] = min(natural[i], max(least[i], minText))
		}
	}
	return natural, least
}

// shrink makes the widest columns of a kind narrower until the table fits.
func (t *Table) shrink(l *layout, width int, least []int, kind func(Column) bool) {
	for excess := l.total() - width; excess > 0; excess-- {
		widest := -1
		for place, i := range l.kept {
			if kind(t.Columns[i]) && l.widths[place] > least[i] && (widest < 0 || l.widths[place] > l.widths[widest]) {
				widest = place
			}
		}
		if widest < 0 {
			return
		}
		l.widths[widest]--
	}
}

// Write writes the table for a terminal of width columns; 0 has no limit. heading formats the line of the titles.
func (t *Table) Write(w io.Writer, width int, heading func(string) string) error {
	l := t.layout(width)
	var text strings.Builder
	if !l.stacked {
		titles := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			titles[i] = c.Title
		}
		for _, line := range t.lines(titles, &l) {
			text.WriteString(heading(line) + "\n")
		}
	}
	for _, row := range t.Rows {
		lines := t.lines(row, &l)
		if l.stacked {
			lines = t.stack(row, &l, width)
		}
		for _, line := range lines {
			text.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// lines returns the lines of a row: one, and more if a key wraps.
func (t *Table) lines(row []string, l *layout) []string {
	cells, height := make([][]string, len(l.kept)), 1
	for place, i := range l.kept {
		cells[place] = t.cell(row[i], i, l.widths[place])
		height = max(height, len(cells[place]))
	}
	lines := make([]string, height)
	for n := range lines {
		var line strings.Builder
		for place, i := range l.kept {
			text := ""
			if n < len(cells[place]) {
				text = cells[place][n]
			}
			blank := strings.Repeat(" ", max(0, l.widths[place]-Width(text)))
			if style := t.Columns[i].Style; style != nil {
				text = style(text)
			}
			if t.Columns[i].Right {
				text = blank + text
			} else {
				text += blank
			}
			line.WriteString(text)
			if place < len(l.kept)-1 {
				line.WriteString(gap)
			}
		}
		lines[n] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

// cell returns the lines of a cell.
func (t *Table) cell(text string, column, width int) []string {
	text = Line(text)
	switch {
	case t.Columns[column].Key && Width(text) > width:
		return fill("", split(text), width)
	case t.Columns[column].Text:
		return []string{Cut(text, width)}
	}
	return []string{text}
}

// stack returns the lines of a row whose columns do not fit beside each other: the first key, and behind an indent the other keys, and the
// other cells with their titles. So no name but the first begins a line.
func (t *Table) stack(row []string, l *layout, width int) (lines []string) {
	var rest []string
	for _, i := range l.kept {
		switch c := t.Columns[i]; {
		case c.Key:
			first := indent
			if len(lines) == 0 {
				first = ""
			}
			lines = append(lines, fill(first, split(Line(row[i])), width)...)
		case row[i] != "":
			rest = append(rest, c.Title+" "+Line(row[i])+gap)
		}
	}
	if len(rest) == 0 {
		return lines
	}
	// Lines that begin with an indent are those of the row before.
	text := strings.TrimRight(indent+strings.Join(rest, ""), " ")
	return append(lines, strings.Split(Paragraph(text, width), "\n")...)
}
