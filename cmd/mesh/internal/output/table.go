package output

import (
	"io"
	"os"
	"slices"
	"strings"
)

// gap separates the columns of a table.
const gap = "  "

// minColumn is the width to which a column is cut at most.
const minColumn = 4

// Table writes rows under a header in aligned columns. On a terminal the header is bold, unless NO_COLOR is set, and the widest
// columns are cut until a row fits into a line, unless w is [Wide]: in a row that the terminal breaks, a text from another
// node could pass for the next row.
func Table(w io.Writer, header []string, rows [][]string) error {
	table := [][]string{header}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = Line(cell)
		}
		table = append(table, cells)
	}
	width := 0
	if _, wide := w.(Wide); !wide {
		width = Width(w)
	}
	widths := fit(table, width)
	var text strings.Builder
	for i, row := range table {
		line := Cut(align(row, widths), width)
		if i == 0 {
			line = Heading(w, line)
		}
		text.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// fit returns the widths of the columns of a table. They are cut until the table has at most width columns of the terminal: first
// the titles that are longer than what is below them, then the widest columns. 0 is no limit.
func fit(table [][]string, width int) []int {
	widths, below := make([]int, len(table[0])), make([]int, len(table[0]))
	for row, cells := range table {
		for i, cell := range cells {
			if widths[i] = max(widths[i], columns(cell)); row > 0 {
				below[i] = max(below[i], columns(cell))
			}
		}
	}
	if width == 0 {
		return widths
	}
	excess := len(gap)*(len(widths)-1) - width
	for i := range widths {
		widths[i] = min(widths[i], width)
		excess += widths[i]
	}
	for i := range widths {
		cut := max(0, min(excess, widths[i]-max(below[i], minColumn)))
		widths[i] -= cut
		excess -= cut
	}
	for ; excess > 0 && slices.Max(widths) > minColumn; excess-- {
		widths[slices.Index(widths, slices.Max(widths))]--
	}
	return widths
}

// align returns a row with its cells cut or padded to the widths. The last one is not padded.
func align(row []string, widths []int) string {
	var line strings.Builder
	for i, cell := range row {
		cell = Cut(cell, widths[i])
		line.WriteString(cell)
		if i < len(row)-1 {
			line.WriteString(strings.Repeat(" ", max(0, widths[i]-columns(cell))) + gap)
		}
	}
	return line.String()
}

// Heading returns a text in bold if w is a terminal, unless NO_COLOR is set. No text from another node can be bold.
func Heading(w io.Writer, text string) string {
	if Terminal(w) && os.Getenv("NO_COLOR") == "" {
		return "\x1b[1m" + text + "\x1b[0m"
	}
	return text
}
