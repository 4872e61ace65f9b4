package discoverytest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// object is a JSON object of an answer.
type object = map[string]any

func ok(body any) answer { return answer{Status: http.StatusOK, Body: body} }

// embedded decodes a JSON file of this package.
func embedded[T any](file []byte) (value T) {
	if err := json.Unmarshal(file, &value); err != nil {
		panic(err)
	}
	return value
}

// readRows decodes an embedded list.
func readRows(list []byte) []json.RawMessage { return embedded[[]json.RawMessage](list) }

// field returns a string field of a row, or "".
func field(row json.RawMessage, name string) string {
	var fields map[string]any
	_ = json.Unmarshal(row, &fields) // the rows are embedded
	text, _ := fields[name].(string)
	return text
}

// page returns at most size rows after the row whose field is after, or from the start for "". It reports whether more rows
// follow, and whether such a row is known.
func page(rows []json.RawMessage, name, after string, size int) (cut []json.RawMessage, more, known bool) {
	begin := 0
	if after != "" {
		begin = 1 + slices.IndexFunc(rows, func(row json.RawMessage) bool { return field(row, name) == after })
		if begin == 0 {
			return nil, false, false
		}
	}
	end := min(begin+size, len(rows))
	return rows[begin:end], end < len(rows), true
}

// pageRows returns the number of rows of a page for a query: usual if it has none, and never more than [WithPageSize].
func (s *Server) pageRows(query url.Values, name string, usual, most int) (rows int, valid bool) {
	rows = usual
	if query.Has(name) {
		var err error
		rows, err = strconv.Atoi(query.Get(name))
		if err != nil || rows < 1 || rows > most {
			return usual, false
		}
	}
	if s.pageSize > 0 {
		rows = min(rows, s.pageSize)
	}
	return rows, true
}
