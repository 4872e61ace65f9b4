package output

import (
	"encoding/csv"
	"io"
	"regexp"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/texttable"
)

// CSV writes rows for a spreadsheet. Control characters are escaped as by [JSON], also those below U+0020. A text that a spreadsheet
// would take for a formula gets a leading '; numbers stay.
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
	text = string(escape([]byte(text), texttable.Controls))
	if text != "" && strings.IndexByte("=+-@", text[0]) >= 0 && !number.MatchString(text) {
		return "'" + text
	}
	return text
}

var number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
