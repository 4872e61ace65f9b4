package output

import (
	"io"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// Wide is a writer for full tables, even if rows exceed the terminal width.
type Wide struct{ io.Writer }

// file returns nil if w is not a file.
func file(w io.Writer) *os.File {
	if wide, ok := w.(Wide); ok {
		w = wide.Writer
	}
	f, _ := w.(*os.File)
	return f
}

// defaultWidth is for terminals that don't report their width.
const defaultWidth = 80

// Width returns the number of terminal columns, or 0 if w is not a terminal.
func Width(w io.Writer) int {
	f := file(w)
	if f == nil {
		return 0
	}
	width, ok := terminalWidth(f)
	if ok && width == 0 {
		return defaultWidth
	}
	return width
}

// Cut shortens line to width columns, with an ellipsis. 0 means no limit.
func Cut(line string, width int) string { return table.Cut(line, width) }

// Wrap breaks lines to width columns and indents all but the first. If the terminal broke
// a line, the rest would start at the left edge and could pass for another line. 0 means
// no limit.
func Wrap(text, indent string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		for room := max(2, width-len(indent)-1); width > 0 && table.Width(line) > room; {
			end := table.Fitting(line, room)
			if blank := strings.LastIndexByte(line[:end], ' '); blank > end/2 {
				end = blank + 1
			}
			lines = append(lines, line[:end])
			line = line[end:]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"+indent)
}
