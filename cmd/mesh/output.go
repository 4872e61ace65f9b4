package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"
)

// print writes value as JSON with -o json, and calls text otherwise.
func (a *app) print(value any, text func(io.Writer) error) error {
	a.progress.stop()
	if a.format == "json" {
		return a.printJSON(value, "  ")
	}
	return text(a.out)
}

// printLine is [app.print] for a sequence without an end: in JSON each value is one line.
func (a *app) printLine(value any, text func(io.Writer) error) error {
	a.progress.stop()
	if a.format == "json" {
		return a.printJSON(value, "")
	}
	return text(a.out)
}

func (a *app) printJSON(value any, indent string) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(value)
}

// table writes rows under a header in aligned columns. The header is bold on a terminal, unless NO_COLOR is set.
func table(out io.Writer, header []string, rows [][]string) error {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = oneLine(cell)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	first, rest, _ := strings.Cut(text.String(), "\n")
	if terminal(out) && os.Getenv("NO_COLOR") == "" {
		first = "\x1b[1m" + first + "\x1b[0m"
	}
	_, err := io.WriteString(out, first+"\n"+rest)
	return err
}

// oneLine returns text without line breaks, control characters and marks of the writing direction: a text from another node
// must not change what a terminal shows around it.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029':
			return unicode.ReplacementChar
		default:
			return r
		}
	}, text)
}

// printable is [oneLine] for texts of several lines.
func printable(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = oneLine(line)
	}
	return strings.Join(lines, "\n")
}

// maxCell is the length of a text in a table, in characters.
const maxCell = 80

// shorten returns the beginning of a long text.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > maxCell {
		return string(runes[:maxCell-1]) + "…"
	}
	return text
}

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
