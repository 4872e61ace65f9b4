package output

import (
	"encoding/csv"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/internal/table"
)

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
