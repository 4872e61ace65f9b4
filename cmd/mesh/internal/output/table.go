package output

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

// Table writes rows under a header in aligned columns. The header is bold on a terminal, unless NO_COLOR is set. A text that
// may be long or have wide characters belongs into the last column, which aligns nothing.
func Table(w io.Writer, header []string, rows [][]string) error {
	var text bytes.Buffer
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, strings.Join(header, "\t"))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = Line(cell)
		}
		fmt.Fprintln(columns, strings.Join(cells, "\t"))
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	first, rest, _ := strings.Cut(text.String(), "\n")
	_, err := io.WriteString(w, heading(w, first)+"\n"+rest)
	return err
}

func heading(w io.Writer, text string) string {
	if Terminal(w) && os.Getenv("NO_COLOR") == "" {
		return "\x1b[1m" + text + "\x1b[0m"
	}
	return text
}
