package output

import (
	"io"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// Wide is a writer to which tables are written in full, also if a row is longer than a line of the terminal.
type Wide struct{ io.Writer }

// file returns the file behind w, or nil.
func file(w io.Writer) *os.File {
	if wide, ok := w.(Wide); ok {
		w = wide.Writer
	}
	f, _ := w.(*os.File)
	return f
}

// defaultWidth is the width of a terminal that does not report one.
const defaultWidth = 80

// Width returns the number of columns of the terminal w, or 0 if w is not a terminal.
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

// Cut returns the beginning of a line that fits into width columns, with an ellipsis if it is cut. A width of 0 has no limit.
func Cut(line string, width int) string { return table.Cut(line, width) }

// Wrap breaks lines so that they fit into width columns, each but the first behind an indent. A terminal that breaks a line
// itself continues at the left edge, where a part of the text could pass for another line. A width of 0 has no limit.
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
