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

// Client returns a copy of base that doesn't follow redirects. It sends a request that
// has a body once, and any other request at most three times. If base is nil, the client
// uses [Transport].
//
// net/http would follow a 301 or 302 after a POST with a GET and report success although
// nothing was written. It would also send key headers other than Authorization to the new
// host. So a redirect is returned as a response.
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
//   - speaks only HTTP/1.1: over HTTP/2, net/http repeats a POST that the server refuses
//     or doesn't answer;
//   - keeps more than two idle connections per host: otherwise a hundred concurrent
//     senders would open a connection for nearly every message;
//   - closes connections idle for idleTimeout, if positive, because a request fails on a
//     connection that the server has just dropped;
//   - closes idle connections after a 5xx response, because some servers silently close a
//     connection after an internal error.
//
// If http.DefaultTransport isn't an *http.Transport, for example because of tracing, it's
// returned unchanged.
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

// http1Only turns off HTTP/2. A used transport has it in four fields, and Clone copies
// them.
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

type ownTransport struct{ *http.Transport }

func (t ownTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.Transport.RoundTrip(req)
	if err == nil && resp.StatusCode >= 500 {
		resp.Body = closingBody{ReadCloser: resp.Body, transport: t.Transport}
	}
	return resp, err
}

// closingBody closes idle connections after the body, because the body's own connection
// isn't idle before.
type closingBody struct {
	io.ReadCloser
	transport *http.Transport
}

func (b closingBody) Close() error {
	err := b.ReadCloser.Close()
	b.transport.CloseIdleConnections()
	return err
}

// redirectHost is the header in which guarded stores the redirect host. A header of that
// name from the server is removed.
const redirectHost = "Redirect-Host"

// guarded sends requests with [transmit] and removes every Location header, so that
// http.Client returns a redirect instead of following it. CheckRedirect would be too
// late: http.Client parses Location first and loses the status if that fails.
type guarded struct {
	// next is a function because test packages print clients field by field, and
	// connection buffers hold the last request including its key.
	next func() http.RoundTripper
}

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

// CloseIdleConnections is found by http.Client.CloseIdleConnections.
func (t guarded) CloseIdleConnections() {
	if next, ok := t.next().(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// hostOf returns the host in a Location header, or "" if it's invalid. The rest of the
// URL may contain a credential.
func hostOf(base *url.URL, location string) string {
	target, err := base.Parse(location)
	if err != nil {
		return ""
	}
	return OneLine(target.Host)
}

// maxTimeouts bounds a whole response, in timeouts.
const maxTimeouts = 10

// running is a request with a running timeout. It's also the response body.
type running struct {
	io.ReadCloser

	ctx     context.Context //nolint:containedctx // the request's context
	caller  context.Context //nolint:containedctx // ended by the caller alone
	cancel  context.CancelCauseFunc
	timer   *time.Timer // nil if there's no timeout
	timeout time.Duration
	whole   bool // see Limits.WholeBody
	began   time.Time
}

func (l Limits) begin(ctx context.Context) *running {
	r := &running{caller: ctx, timeout: l.Timeout, whole: l.WholeBody, began: time.Now()}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	if l.Timeout > 0 {
		r.timer = time.AfterFunc(l.Timeout, func() { r.cancel(context.DeadlineExceeded) })
	}
	return r
}

// end releases the request's context.
func (r *running) end() {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.cancel(nil)
}

// heard restarts the timeout, because the header or some bytes have arrived.
func (r *running) heard() {
	if r.timer != nil && !r.whole {
		longest := min(r.timeout, math.MaxInt64/maxTimeouts) * maxTimeouts
		r.timer.Reset(min(r.timeout, longest-time.Since(r.began)))
	}
}

func (r *running) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if n > 0 {
		r.heard()
	}
	return n, err
}

// waited returns the request's duration, rounded down to whole timeouts.
func (r *running) waited() time.Duration {
	return max(r.timeout, time.Since(r.began).Truncate(r.timeout))
}

// explain adds context.Canceled or DeadlineExceeded to an error that a context caused,
// because net/http may return the cause instead. It also states our own timeout, which
// could be mistaken for the caller's deadline.
func (r *running) explain(err error, waited time.Duration) error {
	if err == nil {
		return nil
	}
	err = external(err)
	ended := r.ctx.Err() // read before the caller's context, which may end at any time and ends this one
	own := ended != nil && r.caller.Err() == nil
	if own {
		ended = context.DeadlineExceeded
	}
	if ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if own { // false for an http.Client's own timeout
		err = fmt.Errorf("no complete response within %v: %w", waited, err)
	}
	return err
}
