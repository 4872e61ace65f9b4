package client

import (
	"bytes"
	"io"
	"strconv"
	"strings"
)

// messageFilter keeps the row of one message in a list of messages.
type messageFilter struct {
	nesting

	id    int64
	row   int  // the depth inside a row; 0 before the first bracket
	array bool // the innermost value outside rows is an array
	rows  int  // the number of rows so far
	kept  int  // of the innermost array
	// held is the row so far. It is empty between rows.
	held []byte
	// limit is the maximum size of a row. A larger one is kept, so that the response exceeds the limit too.
	limit int64
}

func (f *messageFilter) reader(body io.Reader) io.Reader {
	return &filter{body: body, edit: f.edit, end: func(out []byte) []byte { return append(out, f.held...) }}
}

func (f *messageFilter) edit(out []byte, c byte) []byte {
	depth := f.depth
	structural := f.next(c)
	switch {
	case f.array && depth == f.row-1 && structural && (c == ',' || c == ']'):
		out = f.endRow(out)
		if f.array = c == ','; f.array {
			return out // endRow separates the rows that are kept
		}
	case f.array:
		return f.hold(out, c)
	case structural && f.row == 0:
		f.row = rowDepth(c)
	}
	if structural && f.depth > depth && f.depth == f.row-1 {
		f.array, f.kept = c == '[', 0
	}
	return append(out, c)
}

// hold adds a byte to the row, of any type, without the white space before it.
func (f *messageFilter) hold(out []byte, c byte) []byte {
	if len(f.held) == 0 && strings.IndexByte(blanks, c) >= 0 {
		return out
	}
	f.held = append(f.held, c)
	if int64(len(f.held)) > f.limit {
		out = append(out, f.held...)
		f.held = f.held[:0]
	}
	return out
}

// endRow appends the row if it may be the one.
func (f *messageFilter) endRow(out []byte) []byte {
	if len(f.held) == 0 {
		return out
	}
	f.rows++
	if f.wants(f.held) {
		if f.kept++; f.kept > 1 {
			out = append(out, ',')
		}
		out = append(out, f.held...)
	}
	f.held = f.held[:0]
	return out
}

// wants reports whether a row is the message. The decoder of the list reports an invalid one.
func (f *messageFilter) wants(row []byte) bool {
	if !bytes.Contains(row, strconv.AppendInt(nil, f.id, 10)) {
		return false
	}
	var m MeshMessage
	err := m.UnmarshalJSON(row)
	return err != nil || m.ID == f.id
}
