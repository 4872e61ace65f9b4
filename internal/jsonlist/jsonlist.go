// Package jsonlist filters lists in JSON while they are read.
package jsonlist

import (
	"io"
	"strings"
)

// Filter is a reader of a list in JSON, or of one object, that leaves out what the caller does not need. It checks no syntax and takes any
// nesting: a decoder reads what it returns.
type Filter struct {
	// Body is what is read.
	Body io.Reader
	// List is the name of the field of the array, unless the body is the array. "" means that the body is one row.
	List string
	// Field is the name of a field of a row whose value is replaced by null, and FIELD_dropped added, if it has more than Limit bytes.
	// With a Limit of -1 every value is.
	Field string
	Limit int64
	// Keep reports whether a row is kept; nil keeps every row. A row of more than MaxRow bytes, unless that is 0, is kept, so that the
	// result exceeds a limit too.
	Keep   func(row []byte) bool
	MaxRow int64
	// Found ends the list after the present row: the rest is not read.
	Found bool
	// Rows and Kept are, with Keep, the number of rows so far, and of those that are kept.
	Rows, Kept int
	// Largest is the number of bytes of the largest value of Field that was kept.
	Largest int64

	depth           int // the number of open arrays and objects
	quoted, escaped bool
	name            []byte // the beginning of the last string, with its quotes
	inside          int    // the depth inside the list; 0 outside
	row             []byte // so far; with keep
	deepest         int    // the depth inside the row
	value           []byte // of field so far
	holding         bool   // value
	dropped         bool   // value

	in, out []byte
	taken   int // of out
	err     error
}

const (
	// readSize is the number of bytes that are read at a time.
	readSize = 32 << 10
	// maxFieldName is more than the length of the names that a filter looks for.
	maxFieldName = 32
	// maxNesting is the number of levels above which a value is dropped whatever its size: decoders fail at 10,000.
	maxNesting = 1000
)

// Read implements io.Reader.
func (f *Filter) Read(p []byte) (int, error) {
	if f.in == nil {
		f.in = make([]byte, readSize)
	}
	for f.taken == len(f.out) {
		if f.err != nil {
			return 0, f.err
		}
		f.out, f.taken = f.out[:0], 0
		var n int
		n, f.err = f.Body.Read(f.in)
		for _, c := range f.in[:n] {
			if f.edit(c); f.Found {
				f.out, f.err = append(f.out, "]}"[:f.inside]...), io.EOF
				break
			}
		}
		if f.err != nil && !f.Found {
			f.endValue()
			f.out = append(f.out, f.row...)
		}
	}
	n := copy(p, f.out[f.taken:])
	f.taken += n
	return n, nil
}

// next follows the nesting, and reports whether c is a bracket, a brace, a colon or a comma outside strings.
func (f *Filter) next(c byte) bool {
	switch {
	case f.escaped:
		f.escaped = false
	case f.quoted:
		f.escaped, f.quoted = c == '\\', c != '"'
	case c == '"':
		f.quoted, f.name = true, f.name[:0]
	case c == '{' || c == '[':
		f.depth++
		return true
	case c == '}' || c == ']':
		f.depth--
		return true
	}
	return !f.quoted && (c == ':' || c == ',')
}

// edit appends what remains of the next byte.
func (f *Filter) edit(c byte) {
	depth := f.depth
	structural := f.next(c)
	f.deepest = max(f.deepest, f.depth)
	inRow := f.List == "" || f.inside > 0
	switch {
	case f.holding && structural && depth == f.inside+1 && (c == ',' || c == '}'):
		f.endValue()
		f.emit(c)
	case f.holding:
		f.hold(c)
	case structural && f.inside > 0 && depth == f.inside && (c == ',' || c == ']'):
		f.endRow(c)
	case structural && !inRow && c == '[' && (depth == 0 || depth == 1 && string(f.name) == `"`+f.List+`"`):
		f.out = append(f.out, c)
		f.inside, f.Rows, f.Kept, f.deepest = f.depth, 0, 0, f.depth
	default:
		if (f.quoted || c == '"') && len(f.name) < maxFieldName {
			f.name = append(f.name, c)
		}
		f.emit(c)
		f.holding = f.Field != "" && structural && c == ':' && inRow && depth == f.inside+1 && string(f.name) == `"`+f.Field+`"`
	}
}

// emit appends to the row, or to what is read. The white space before a row is left out.
func (f *Filter) emit(c byte) {
	switch {
	case f.Keep == nil || f.inside == 0:
		f.out = append(f.out, c)
	case len(f.row) > 0 || strings.IndexByte(" \t\r\n", c) < 0:
		f.row = append(f.row, c)
		if f.MaxRow > 0 && int64(len(f.row)) > f.MaxRow {
			f.out, f.row = append(f.out, f.row...), f.row[:0]
		}
	}
}

// endRow ends a row, and the list if c is a bracket.
func (f *Filter) endRow(c byte) {
	if f.Keep != nil && (len(f.row) > 0 || c == ',' || f.Rows > 0) {
		f.Rows++
		if f.Keep(f.row) {
			if f.Kept++; f.Kept > 1 {
				f.out = append(f.out, ',')
			}
			f.out = append(f.out, f.row...)
		}
	}
	f.row, f.deepest = f.row[:0], f.inside
	if c == ']' && !f.Found {
		f.inside = 0
	}
	if f.Keep == nil || f.inside == 0 {
		f.out = append(f.out, c)
	}
}

// TooDeep reports, in Keep, whether the row is nested too deep for decoders.
func (f *Filter) TooDeep() bool { return f.deepest > f.inside+maxNesting }

func (f *Filter) hold(c byte) {
	if f.dropped {
		return
	}
	f.value = append(f.value, c)
	if int64(len(f.value)) > f.Limit || f.depth > f.inside+1+maxNesting {
		f.value, f.dropped = nil, true
	}
}

// endValue appends what is left of the value.
func (f *Filter) endValue() {
	if f.dropped {
		f.value = append(f.value, `null,"`+f.Field+`_dropped":true`...)
	} else {
		f.Largest = max(f.Largest, int64(len(f.value)))
	}
	for _, c := range f.value {
		f.emit(c)
	}
	f.value, f.holding, f.dropped = f.value[:0], false, false
}
