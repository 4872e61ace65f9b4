// Package output formats what the command mesh prints: tables and texts for people, JSON for programs, and the line that shows
// progress.
//
// A text from another node must not control the terminal: [Line] and [Lines] replace control characters, and [JSON] escapes
// them.
package output

import (
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/table"
)

// Line returns text without line breaks, control characters and marks of the writing direction.
func Line(text string) string { return table.Line(text) }

// Lines is [Line] for texts of several lines.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Line(line)
	}
	return strings.Join(lines, "\n")
}

// maxCell is the length of a text in a table, in characters.
const maxCell = 80

// Shorten returns the first 80 characters of a text.
func Shorten(text string) string {
	if runes := []rune(text); len(runes) > maxCell {
		return string(runes[:maxCell-1]) + "…"
	}
	return text
}

// Terminal reports whether w is a terminal that understands escape sequences.
func Terminal(w io.Writer) bool {
	f := file(w)
	if f == nil || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // is a character device, too; on Windows all of these are the same file
	return runtime.GOOS == "windows" || err != nil || !os.SameFile(info, null)
}
