package call

import (
	"cmp"
	"crypto/tls"
	"io"
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
