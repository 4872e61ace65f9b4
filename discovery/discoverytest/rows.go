package discoverytest

import (
	"encoding/json"
	"net/http"
	"slices"
)

// object is a JSON object of an answer.
type object = map[string]any

func ok(body any) answer { return answer{Status: http.StatusOK, Body: body} }

// readRows reads one of the lists that this package embeds.
func readRows(list []byte) []json.RawMessage {
	var rows []json.RawMessage
	if err := json.Unmarshal(list, &rows); err != nil {
		panic(err)
	}
	return rows
}

// field returns a text field of a row, "" where it is not there.
func field(row json.RawMessage, name string) string {
	var fields map[string]any
	_ = json.Unmarshal(row, &fields) // every row is one of this package's own
	text, _ := fields[name].(string)
	return text
}

// page cuts a page of at most size rows out of a list, beginning behind the row whose field is after, and reports whether
// rows are left. With after "" it begins at the top; known is false where no row is after.
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

// pageOf is how many rows a page has when so many are asked for.
func (s *Server) pageOf(asked int) int {
	if s.pageSize > 0 {
		return min(asked, s.pageSize)
	}
	return asked
}
