// Package output formats what the command mesh prints: tables and texts for people, JSON for programs, and the line that shows
// progress.
//
// A text from another node must not control the terminal: [Line] and [Lines] replace control characters, and [JSON] escapes
// them.
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

// CSV writes rows for a spreadsheet. Control characters are escaped as by [JSON], also those below U+0020. A text that a spreadsheet
// would take for a formula, also behind characters without a width and with fullwidth signs, gets a leading '; numbers stay.
func CSV(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, text := range row {
			cells[i] = cell(text)
		}
		_ = out.Write(cells) // the writer keeps its error
	}
	out.Flush()
	return out.Error()
}

func cell(text string) string {
	text = string(escape([]byte(text), table.Controls))
	shown := strings.TrimLeftFunc(text, invisible)
	first, _ := utf8.DecodeRuneInString(shown)
	if shown != "" && strings.ContainsRune("=+-@＝＋－＠", first) && !number.MatchString(text) {
		return "'" + text
	}
	return text
}

// invisible reports whether a spreadsheet may leave out a character at the begin of a cell, such as U+FEFF.
func invisible(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

var number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// JSON writes value as JSON with this indentation; with "" it is one line. Characters that control a terminal are escaped,
// also those that encoding/json leaves as they are: a terminal takes U+009B for the start of an escape sequence.
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

// escape replaces characters by \u and their number.
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

// escaped reports whether encoding/json leaves a character as it is that controls a terminal: the delete character, and some outside
// ASCII.
func escaped(r rune) bool { return r >= 0x7f && table.Controls(r) }
