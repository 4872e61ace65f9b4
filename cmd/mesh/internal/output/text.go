// Package output formats what mesh prints: tables and texts for people, JSON
// for programs, and the line that shows progress.
//
// A text from another node must not control the terminal: [Line] and [Lines] replace
// control characters, and [JSON] escapes them.
package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// Line removes line breaks, control characters and bidirectional marks.
func Line(text string) string { return table.Line(text) }

// Lines is [Line] for several lines.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Line(line)
	}
	return strings.Join(lines, "\n")
}

// Fixed returns a function that writes text.
func Fixed(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// maxCell is in characters.
const maxCell = 80

// Shorten returns text, cut to 80 characters.
func Shorten(text string) string { return table.Shorten(text, maxCell) }

// Terminal reports whether w is a terminal that supports escape sequences.
func Terminal(w io.Writer) bool {
	f := file(w)
	if f == nil || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a character device too; on Windows, SameFile can't tell them apart
	return runtime.GOOS == "windows" || err != nil || !os.SameFile(info, null)
}

// Table writes aligned columns under a header, which is bold on a terminal unless
// NO_COLOR is set. Unless w is [Wide], it makes rows fit a terminal line by cutting free
// text, dropping columns and wrapping keys: if the terminal broke a row, untrusted text
// could pass for the next row.
func Table(w io.Writer, columns []table.Column, rows [][]string) error {
	width := 0
	if _, wide := w.(Wide); !wide {
		width = Width(w)
	}
	t := table.Table{Columns: columns, Rows: rows}
	return t.Write(w, width, func(header string) string { return Heading(w, header) })
}

// Heading makes text bold on a terminal, unless NO_COLOR is set. Never use it for text
// from other nodes.
func Heading(w io.Writer, text string) string {
	if colored(w) {
		return "\x1b[1m" + text + "\x1b[0m"
	}
	return text
}

var marked = regexp.MustCompile(`(?i)(?:mesh )?\bretired\b|\bnot known\b`)

// Mark shows "retired" and "not known" in yellow on a terminal, unless NO_COLOR is set.
// Use it only for mesh's own text.
func Mark(w io.Writer, text string) string {
	if colored(w) {
		return marked.ReplaceAllStringFunc(text, func(words string) string {
			if strings.HasPrefix(words, "mesh ") { // the command
				return words
			}
			return "\x1b[33m" + words + "\x1b[39m" // ends only the color: headings stay bold
		})
	}
	return text
}

// Marked applies [Mark] to a column's cells.
func Marked(w io.Writer, c table.Column) table.Column {
	c.Style = func(cell string) string { return Mark(w, cell) }
	return c
}

func colored(w io.Writer) bool { return Terminal(w) && os.Getenv("NO_COLOR") == "" }

// CSV writes rows for a spreadsheet, with control characters escaped as in [JSON]. Text
// that a spreadsheet could take for a formula gets a leading '.
func CSV(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, text := range row {
			cells[i] = cell(text)
		}
		_ = out.Write(cells) // out.Error returns it
	}
	out.Flush()
	return out.Error()
}

func cell(text string) string {
	text = Escape(text)
	shown := strings.TrimLeftFunc(text, invisible)
	first, _ := utf8.DecodeRuneInString(shown)
	if shown != "" && strings.ContainsRune("=+-@＝＋－＠", first) && !number.MatchString(text) {
		return "'" + text
	}
	return text
}

// invisible reports whether a spreadsheet may skip r at the start of a cell, such as
// U+FEFF.
func invisible(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

var number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// JSON writes value with this indentation, or on one line if it's "". It also escapes
// control characters that encoding/json keeps: terminals start an escape sequence at
// U+009B.
func JSON(w io.Writer, value any, indent string) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(escape(text.Bytes(), escaped))
	return err
}

// Escape replaces control characters, line breaks and bidirectional marks by \uXXXX.
func Escape(text string) string { return string(escape([]byte(text), table.Controls)) }

// escape replaces characters by \uXXXX.
func escape(text []byte, escaped func(rune) bool) []byte {
	if utf8.Valid(text) && bytes.IndexFunc(text, escaped) < 0 {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		if escaped(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// escaped reports whether encoding/json keeps r although it controls terminals.
func escaped(r rune) bool { return r >= 0x7f && table.Controls(r) }

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
