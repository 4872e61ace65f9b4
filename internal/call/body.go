package call

import (
	"bytes"
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

// maxFilteredBytes bounds a body of which only a part is kept.
const maxFilteredBytes = 1 << 30

// boundedReader fails beyond left bytes.
type boundedReader struct {
	next io.Reader
	left int64
}

// Read implements io.Reader.
func (r *boundedReader) Read(p []byte) (int, error) {
	n, err := r.next.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, tooLarge(maxFilteredBytes)
	}
	return n, err
}
