// Package jsonlist filters JSON lists while they are read.
package jsonlist

import (
	"io"
	"strings"
)

// Filter reads a JSON list, or a single object, and omits what the caller doesn't need.
// It doesn't check syntax and accepts any nesting, which is left to the decoder behind
// it.
type Filter struct {
	// Body is the input.
	Body io.Reader
	// List names the field that holds the array. The body may also be the array itself.
	// If List is "", the body is a single row.
	List string
	// Field is a field in each row. If its value exceeds Limit bytes, it's replaced by
	// null, and the row gets FIELD_dropped. A Limit of -1 drops every value.
	Field string
	Limit int64
	// Keep reports whether to keep a row. If nil, every row is kept. A row over MaxRow
	// bytes is kept unseen, so that the output exceeds the reader's limit, too. 0 means
	// no maximum.
	Keep   func(row []byte) bool
	MaxRow int64
	// Found, set by Keep, ends the list after the current row. The rest isn't read.
	Found bool
	// Rows counts rows so far, and Kept the ones kept, if Keep is set.
	Rows, Kept int
	// Largest is the size of the largest kept value of Field, in bytes.
	Largest int64

	depth           int // open arrays and objects
	quoted, escaped bool
	name            []byte // start of the last string, including its quotes
	inside          int    // depth inside the list, 0 outside
	row             []byte // current row so far, if Keep is set
	deepest         int    // maximum depth in the row
	value           []byte // value of Field so far
	holding         bool   // reading a value of Field
	dropped         bool   // and it's too long

	in, out []byte
	taken   int // bytes read from out
	err     error
}

const (
	// readSize is the number of bytes read at once.
	readSize = 32 << 10
	// maxFieldName exceeds the field names that filters look for.
	maxFieldName = 32
	// maxNesting is the nesting above which a value is dropped, whatever its size.
	// Decoders fail at 10,000.
	maxNesting = 1000
)

// Read implements [io.Reader].
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

// next tracks nesting. It reports whether c is a bracket, brace, colon or comma outside
// strings.
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

// emit writes to the row or the output. It drops white space before a row.
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

// TooDeep reports, within Keep, whether the row is nested too deep for decoders.
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
