package call

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

const (
	// maxDeclared bounds how far the declared length of a body is trusted, which may be wrong.
	maxDeclared = 1 << 20
	maxPiece    = 64 << 10
)

// readAll reads r to its end. declared is the length that the response declares, or negative. With an error, readAll returns
// the part that it has read.
//
// A body of unknown length is read in pieces and joined once. A buffer that doubles allocates about four times the body.
func readAll(r io.Reader, declared int64) ([]byte, error) {
	var pieces [][]byte
	piece := make([]byte, 0, min(max(declared, 0), maxDeclared)+bytes.MinRead)
	for {
		n, err := r.Read(piece[len(piece):cap(piece)])
		piece = piece[:len(piece)+n]
		if err != nil {
			if err == io.EOF { // an error that wraps io.EOF reports a truncated body
				err = nil
			}
			return joined(pieces, piece), err
		}
		if len(piece) == cap(piece) {
			pieces = append(pieces, piece)
			piece = make([]byte, 0, min(2*cap(piece), maxPiece))
		}
	}
}

func joined(pieces [][]byte, last []byte) []byte {
	if pieces == nil {
		return last
	}
	return slices.Concat(append(pieces, last)...)
}

// boundedReader fails beyond limit bytes. It records the first error except io.EOF.
type boundedReader struct {
	next        io.Reader
	left, limit int64
	err         error
}

// Read implements io.Reader.
func (r *boundedReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.next.Read(p)
	if r.left -= int64(n); r.left < 0 {
		n, err = 0, tooLarge(r.limit)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
