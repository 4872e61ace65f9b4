package output

import (
	"io"
	"os"
	"regexp"

	"github.com/mesh-gateway/mesh-go/internal/table"
)

// Table writes rows under a header in aligned columns. On a terminal the header is bold, unless NO_COLOR is set. Free texts are cut,
// columns are left out and keys wrap until a row fits into a line, unless w is [Wide]: in a row that the terminal breaks, a text from
// another node could pass for the next row.
func Table(w io.Writer, columns []table.Column, rows [][]string) error {
	width := 0
	if _, wide := w.(Wide); !wide {
		width = Width(w)
	}
	t := table.Table{Columns: columns, Rows: rows}
	return t.Write(w, width, func(header string) string { return Heading(w, header) })
}

// Heading returns a text in bold if w is a terminal, unless NO_COLOR is set. No text from another node can be bold.
func Heading(w io.Writer, text string) string {
	if colored(w) {
		return "\x1b[1m" + text + "\x1b[0m"
	}
	return text
}

var marked = regexp.MustCompile(`(?i)\bretired\b|\bnot known\b`)

// Mark returns a text with the words "retired" and "not known" in yellow if w is a terminal, unless NO_COLOR is set. It is for our own
// sentences and states, not for names and texts of others.
func Mark(w io.Writer, text string) string {
	if colored(w) {
		return marked.ReplaceAllString(text, "\x1b[33m$0\x1b[39m") // only the colour ends: a heading stays bold
	}
	return text
}

// Marked returns a column whose cells are marked as by [Mark].
func Marked(w io.Writer, c table.Column) table.Column {
	c.Style = func(cell string) string { return Mark(w, cell) }
	return c
}

func colored(w io.Writer) bool { return Terminal(w) && os.Getenv("NO_COLOR") == "" }
