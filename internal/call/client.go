package call

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"time"
)

// Client returns a copy of base that follows no redirects and transmits a request with a body once, and one without at most
// three times. If base is nil, the client uses [Transport].
//
// net/http follows a 301 or 302 of a POST with a GET and reports its success although nothing was written, and it sends key
// headers other than Authorization to another host. A redirect is therefore returned as the response.
func Client(base *http.Client) *http.Client {
	client := &http.Client{}
	if base != nil {
		*client = *base
	} else {
		client.Transport = Transport(0)
	}
	next := client.Transport
	client.Transport = guarded{next: func() http.RoundTripper { return cmp.Or(next, http.DefaultTransport) }}
	return client
}

// Transport returns a copy of http.DefaultTransport that
//
//   - speaks HTTP/1.1 only: over HTTP/2 net/http repeats a POST that the server refuses or leaves unanswered;
//   - keeps more than two idle connections to a host: with two, a hundred concurrent senders would open and close a
//     connection for nearly every message;
//   - closes idle connections after idleTimeout, if it is positive: a request on a connection that the server has just dropped
//     fails;
//   - closes all idle connections after a 5xx response: some servers close a connection after an internal error without
//     announcing it.
//
// A default transport that is not an *http.Transport, such as one for tracing, is returned unchanged.
func Transport(idleTimeout time.Duration) http.RoundTripper {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	own := http1Only(base.Clone())
	own.MaxIdleConnsPerHost = own.MaxIdleConns
	if idleTimeout > 0 {
		own.IdleConnTimeout = idleTimeout
	}
	return ownTransport{own}
}

// http1Only turns off HTTP/2. A transport that was used before has it in four fields, and Clone copies them.
func http1Only(t *http.Transport) *http.Transport {
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	t.ForceAttemptHTTP2 = false
	t.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	if t.TLSClientConfig != nil {
		t.TLSClientConfig.NextProtos = nil
	}
	return t
}

// ownTransport closes its idle connections after a 5xx response.
type ownTransport struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t ownTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.Transport.RoundTrip(req)
	if err == nil && resp.StatusCode >= 500 {
		resp.Body = closingBody{ReadCloser: resp.Body, transport: t.Transport}
	}
	return resp, err
}

// closingBody closes the idle connections when the body is closed. Its own connection becomes idle no earlier.
type closingBody struct {
	io.ReadCloser
	transport *http.Transport
}

// Close implements io.Closer.
func (b closingBody) Close() error {
	err := b.ReadCloser.Close()
	b.transport.CloseIdleConnections()
	return err
}

// redirectHost is the header in which guarded keeps the host of a redirect. It removes the header of the server.
const redirectHost = "Redirect-Host"

// guarded sends requests with [transmit], and removes the Location header of every response, so that http.Client returns the
// response instead of following it. CheckRedirect would be too late: http.Client parses Location first and loses the status if
// that fails.
type guarded struct {
	// next returns the transport. It is a function because test packages print the differences of two clients by their fields:
	// the buffers of a connection hold the last request with its key.
	next func() http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := transmit(t.next(), req)
	if resp == nil {
		return resp, err
	}
	location := resp.Header.Get("Location")
	resp.Header.Del("Location")
	resp.Header.Del(redirectHost)
	if host := hostOf(req.URL, location); location != "" && host != "" && resp.StatusCode/100 == 3 {
		resp.Header.Set(redirectHost, host)
	}
	return resp, err
}

// CloseIdleConnections implements the interface that http.Client.CloseIdleConnections looks for.
func (t guarded) CloseIdleConnections() {
	if next, ok := t.next().(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// hostOf returns the host of a Location header, or "" if it is invalid. The rest of a URL may contain a credential.
func hostOf(base *url.URL, location string) string {
	target, err := base.Parse(location)
	if err != nil {
		return ""
	}
	return OneLine(target.Host)
}

// maxTimeouts is the number of timeouts that a response takes at most.
const maxTimeouts = 10

// running is a request while its timeout runs. It is the body of the response, too.
type running struct {
	io.ReadCloser

	ctx     context.Context //nolint:containedctx // of the request
	caller  context.Context //nolint:containedctx // of the caller
	cancel  context.CancelCauseFunc
	timer   *time.Timer // nil without a timeout
	timeout time.Duration
	whole   bool // of Limits.WholeBody
	began   time.Time
}

// begin starts the timeout of a request.
func (l Limits) begin(ctx context.Context) *running {
	r := &running{caller: ctx, timeout: l.Timeout, whole: l.WholeBody, began: time.Now()}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	if l.Timeout > 0 {
		r.timer = time.AfterFunc(l.Timeout, func() { r.cancel(context.DeadlineExceeded) })
	}
	return r
}

// end ends the context of the request, which frees what is derived from it.
func (r *running) end() {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.cancel(nil)
}

// heard starts the timeout again: the header or bytes of the body have arrived.
func (r *running) heard() {
	if r.timer != nil && !r.whole {
		longest := min(r.timeout, math.MaxInt64/maxTimeouts) * maxTimeouts
		r.timer.Reset(min(r.timeout, longest-time.Since(r.began)))
	}
}

// Read implements io.Reader.
func (r *running) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if n > 0 {
		r.heard()
	}
	return n, err
}

// waited returns how long the request has taken, in whole timeouts.
func (r *running) waited() time.Duration {
	return max(r.timeout, time.Since(r.began).Truncate(r.timeout))
}

// explain adds the reason to an error that a context caused: the error of the context, which net/http replaces by the cause if
// there is one, and the timeout, so that it is not mistaken for the caller's own deadline.
func (r *running) explain(err error, waited time.Duration) error {
	if err == nil {
		return nil
	}
	err = external(err)
	ended := r.ctx.Err() // before that of the caller, which ends it too and may end at any time
	own := ended != nil && r.caller.Err() == nil
	if own {
		ended = context.DeadlineExceeded
	}
	if ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if own { // an http.Client's own timeout ends neither
		err = fmt.Errorf("no complete response within %v: %w", waited, err)
	}
	return err
}
