package meter

import (
	"io"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
)

// receive begins to count a response, while the caller reads its body.
func (c *call) receive(res *http.Response) {
	switch {
	case c.outside && !endpoints.Bills(res.StatusCode):
		c.settle(nil)
		return
	case c.outside || res.StatusCode == http.StatusSwitchingProtocols: // the body is a connection, which must stay as it is
		c.fail(res.StatusCode, webSockets)
		return
	}
	if res.Body == nil { // a transport must not return it, but http.Client accepts it
		res.Body = http.NoBody
	}
	res.Body = newReading(c, res)
}

// Read passes on the body of the response and counts it.
func (r *reading) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(p[:n])
	switch err {
	case nil:
	case io.EOF:
		r.end("the response ended before its final counts")
	default:
		r.end("the response broke off before its final counts")
	}
	return n, err
}

// Close closes the body and counts what was read of it.
func (r *reading) Close() error {
	err := r.ReadCloser.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end("the response was closed before its final counts")
	return err
}
