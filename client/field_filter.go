package client

import "io"

// maxNesting is the number of levels above which a value is dropped whatever its size: decoders fail at 10,000.
const maxNesting = 1000

// fieldFilter replaces the value of one field of each row by null if it exceeds a bound, and adds the field FIELD_dropped.
type fieldFilter struct {
	nesting

	field   string
	limit   int64  // in bytes; -1 drops every value
	row     int    // the depth inside a row; 0 before the first bracket
	name    []byte // the last string of a row
	held    []byte // the value so far
	holding bool
	dropped bool
	largest int64 // the number of bytes of the largest value that was kept
}

func (f *fieldFilter) reader(body io.Reader) io.Reader {
	return &filter{body: body, edit: f.edit, end: f.flush}
}

func (f *fieldFilter) edit(out []byte, c byte) []byte {
	depth := f.depth
	if f.holding {
		if f.next(c) && depth == f.row && (c == ',' || c == '}') {
			return append(f.flush(out), c)
		}
		f.hold(c)
		return out
	}
	structural := f.next(c)
	switch {
	case structural && f.row == 0:
		f.row = rowDepth(c)
	case depth == f.row && structural && c == ':':
		f.holding = string(f.name) == `"`+f.field+`"`
	case depth == f.row && !structural:
		f.keepName(c)
	}
	return append(out, c)
}

// keepName keeps the text of the last string, with its quotes.
func (f *fieldFilter) keepName(c byte) {
	if c == '"' && f.quoted {
		f.name = f.name[:0]
	}
	if (f.quoted || c == '"') && len(f.name) <= len(f.field)+len(`""`) {
		f.name = append(f.name, c)
	}
}

func (f *fieldFilter) hold(c byte) {
	if f.dropped {
		return
	}
	f.held = append(f.held, c)
	if int64(len(f.held)) > f.limit || f.depth > f.row+maxNesting {
		f.held, f.dropped = nil, true
	}
}

// flush appends what is left of the value.
func (f *fieldFilter) flush(out []byte) []byte {
	if f.dropped {
		out = append(out, `null,"`+f.field+`_dropped":true`...)
	}
	f.largest = max(f.largest, int64(len(f.held)))
	out = append(out, f.held...)
	f.held, f.holding, f.dropped = f.held[:0], false, false
	return out
}
