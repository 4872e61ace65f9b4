package client

import "io"

// filter is a reader of a JSON response that leaves out what the caller does not need, so that it does not count towards
// [WithMaxResponseBytes]. It checks no syntax: the decoder of the generated type reads what it returns.
type filter struct {
	body io.Reader
	// edit appends what remains of the next byte to out. The end of the body appends what is still held, with end.
	edit  func(out []byte, c byte) []byte
	end   func(out []byte) []byte
	in    []byte
	out   []byte
	taken int // of out
	err   error
}

// filterSize is the number of bytes that are read at a time.
const filterSize = 32 << 10

// Read implements io.Reader.
func (f *filter) Read(p []byte) (int, error) {
	if f.in == nil {
		f.in = make([]byte, filterSize)
	}
	for f.taken == len(f.out) {
		if f.err != nil {
			return 0, f.err
		}
		f.out, f.taken = f.out[:0], 0
		var n int
		n, f.err = f.body.Read(f.in)
		for _, c := range f.in[:n] {
			f.out = f.edit(f.out, c)
		}
		if f.err != nil {
			f.out = f.end(f.out)
		}
	}
	n := copy(p, f.out[f.taken:])
	f.taken += n
	return n, nil
}

// nesting follows the nesting of a JSON text byte by byte.
type nesting struct {
	// depth is the number of open arrays and objects.
	depth           int
	quoted, escaped bool
}

// next reports whether c is a bracket, a brace, a colon or a comma outside strings.
func (n *nesting) next(c byte) bool {
	switch {
	case n.escaped:
		n.escaped = false
	case n.quoted:
		n.escaped, n.quoted = c == '\\', c != '"'
	case c == '"':
		n.quoted = true
	case c == '{' || c == '[':
		n.depth++
		return true
	case c == '}' || c == ']':
		n.depth--
		return true
	}
	return !n.quoted && (c == ':' || c == ',')
}

// rowDepth returns the depth inside a row of a list whose first byte is c: an array, or an object that contains the array.
func rowDepth(c byte) int {
	if c == '[' {
		return 2
	}
	return 3
}
