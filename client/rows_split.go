package client

import (
	"bytes"
	"strconv"
)

// rowText is the position of a row in a list, and how deep its values are nested.
type rowText struct{ start, end, depth int }

// rowSplitter finds the rows of a list: the elements of an array, or of the array in a field of an object. It checks no syntax and
// takes any nesting, since a value that a decoder refuses must not hide the other rows.
type rowSplitter struct {
	nesting

	field   string // in quotes
	body    []byte
	rows    []rowText
	start   int  // of the row, or of the member of the object
	inside  int  // the depth inside the array; 0 outside
	deepest int  // inside the row
	named   bool // the value of the field follows
}

// splitRows returns the rows of a list whose array is in a field, unless it is the list itself.
func splitRows(body []byte, field string) []rowText {
	s := &rowSplitter{field: strconv.Quote(field), body: body}
	for i, c := range body {
		depth := s.depth
		if s.next(c) {
			s.deepest = max(s.deepest, s.depth)
			s.split(i, c, depth)
		}
	}
	return s.rows
}

// split handles the structural byte c at i. depth is the depth before it.
func (s *rowSplitter) split(i int, c byte, depth int) {
	switch {
	case s.inside > 0:
		if depth == s.inside && (c == ',' || c == ']') {
			s.rows = append(s.rows, rowText{s.start, i, s.deepest - depth})
			s.start, s.deepest = i+1, depth
		}
		if s.depth < s.inside {
			s.inside, s.named = 0, false
		}
	case c == '[' && (depth == 0 || depth == 1 && s.named):
		s.rows, s.inside, s.start, s.deepest = nil, s.depth, i+1, s.depth
	case depth == 0 || depth == 1 && c == ',':
		s.start = i + 1
	case depth == 1 && c == ':':
		s.named = string(bytes.Trim(s.body[s.start:i], blanks)) == s.field
	}
}
