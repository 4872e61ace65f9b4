package meter

import (
	"io"
	"net/http"
	"sync"
)

// receive begins to count a response, while the caller reads its body.
func (c *call) receive(res *http.Response) {
	if c.outside {
		c.receiveOutside(res.StatusCode)
		return
	}
	if res.StatusCode == http.StatusSwitchingProtocols { // the body is a connection, which must stay as it is
		c.fail(res.StatusCode, webSockets)
		return
	}
	counting := newReading(c, res)
	if res.Body == nil { // a transport must not return it, but http.Client accepts it
		counting.end("the response has no body")
		return
	}
	res.Body = &countedBody{ReadCloser: res.Body, reading: counting}
}

// countedBody passes on the body of a response and counts it.
type countedBody struct {
	io.ReadCloser
	mu      sync.Mutex // Close may be called during a Read
	reading *reading
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading.write(p[:n])
	switch err {
	case nil:
	case io.EOF:
		b.reading.end("the response ended before its final counts")
	default:
		b.reading.end("the response broke off before its final counts")
	}
	return n, err
}

func (b *countedBody) Close() error {
	err := b.ReadCloser.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading.end("the response was closed before its final counts")
	return err
}
