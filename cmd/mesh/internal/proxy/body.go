package proxy

import (
	"errors"
	"io"
)

// requestBody is the body of a request that is forwarded. The server closes the body when the response begins. A transport that then
// reads on, to see whether more bytes follow than were declared, would receive an error and break the response off.
type requestBody struct {
	io.ReadCloser
	ended bool
}

func (b *requestBody) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p)
	b.ended = errors.Is(err, io.EOF)
	return n, err
}
