package meter

import (
	"compress/gzip"
	"errors"
	"io"
	"iter"
)

// gunzip unpacks a gzip body that arrives in pieces. A gzip.Reader reads when it needs bytes, so it runs as a coroutine that is
// suspended until the next piece: after Write, everything that could be unpacked has been given to plain.
type gunzip struct {
	piece []byte
	next  func() (struct{}, bool)
	stop  func()
	err   error
}

var errNotGzip = errors.New("the response is not gzip")

func newGunzip(plain func([]byte)) *gunzip {
	g := &gunzip{}
	g.next, g.stop = iter.Pull(func(yield func(struct{}) bool) { g.err = g.unpack(yield, plain) })
	return g
}

// Write takes the next piece of the body.
func (g *gunzip) Write(p []byte) {
	g.piece = p
	g.next()
}

// Close ends the coroutine.
func (g *gunzip) Close() { g.stop() }

func (g *gunzip) unpack(yield func(struct{}) bool, plain func([]byte)) error {
	reader, err := gzip.NewReader(pieces{g, yield})
	if err != nil {
		return errNotGzip
	}
	buffer := make([]byte, 4<<10)
	for {
		n, err := reader.Read(buffer)
		plain(buffer[:n])
		if err != nil {
			return err
		}
	}
}

// pieces reads the pieces of a gunzip. Read suspends the coroutine while there is none.
type pieces struct {
	*gunzip
	yield func(struct{}) bool
}

func (p pieces) Read(buffer []byte) (int, error) {
	for len(p.piece) == 0 {
		if !p.yield(struct{}{}) {
			return 0, io.EOF
		}
	}
	n := copy(buffer, p.piece)
	p.piece = p.piece[n:]
	return n, nil
}
