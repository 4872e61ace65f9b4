// Package table formats tables, paragraphs, numbers and periods for people at a terminal.
// Tables fit the terminal's width without cutting names: columns are left out, and names
// wrap.
package table

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

// Column describes a column in a [Table]. Unless Key or Text is set, cells are shown in
// full or not at all.
type Column struct {
	Title string
	// Right is for numbers.
	Right bool
	// Key marks names, which wrap at hyphens and dots and are never cut.
	Key bool
	// Text marks free text, which may be cut.
	Text bool
	// Drop is the order in which columns are left out until a row fits, starting with 1; 0
	// always stays. Late columns are left out only after keys have wrapped; give them the
	// highest Drop.
	Drop int
	Late bool
	// Style, if set, adds escape sequences to a cell. It must not change its width.
	Style func(cell string) string
}

// Key returns a column for names, which wrap at hyphens, dots and spaces and are never
// cut.
func Key(title string) Column { return Column{Title: title, Key: true} }

// Plain returns a column for short values, which are shown in full or not at all. For
// drop, see Column.Drop.
func Plain(title string, drop int) Column { return Column{Title: title, Drop: drop} }

// Right returns a column for numbers. For drop, see Column.Drop.
func Right(title string, drop int) Column { return Column{Title: title, Right: true, Drop: drop} }

// Late is [Right] for a column that's left out only after keys have wrapped.
func Late(title string, drop int) Column {
	return Column{Title: title, Right: true, Drop: drop, Late: true}
}

// Free returns a column for free text, which may be cut.
func Free(title string) Column { return Column{Title: title, Text: true} }

// Table has one cell per column in each row.
type Table struct {
	Columns []Column
	Rows    [][]string
}

// Remove deletes a column from t.
func (t *Table) Remove(column int) {
	t.Columns = slices.Delete(t.Columns, column, column+1)
	for i, row := range t.Rows {
		t.Rows[i] = slices.Delete(row, column, column+1)
	}
}

// Rows calls cells for each element in list.
func Rows[T any](list []T, cells func(*T) []string) [][]string {
	rows := make([][]string, len(list))
	for i := range list {
		rows[i] = cells(&list[i])
	}
	return rows
}

const (
	gap = "  " // between columns
	// minText is how far Text is cut before columns are left out.
	minText = 16
)

// layout has the columns that fit, and their widths. stacked is set if even the remaining
// columns don't fit on one line.
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

// Shows reports whether a column fits on a terminal with width columns; 0 means no limit.
func (t *Table) Shows(column, width int) bool {
	return slices.Contains(t.layout(width).kept, column)
}

// layout leaves out columns in Drop order, wrapping keys before the first late one.
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

// widths also returns minimum widths, for keys and texts.
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

// shrink narrows the widest columns that kind accepts until the table fits.
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

// Write writes the table for a terminal with width columns; 0 means no limit. heading
// formats title lines.
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

// lines returns several lines if a key wraps.
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

// stack puts the first key on one line and everything else, with titles, on indented
// lines: only first keys start a line.
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
	// An indented line continues the previous row.
	text := strings.TrimRight(indent+strings.Join(rest, ""), " ")
	return append(lines, strings.Split(Paragraph(text, width), "\n")...)
}
