package call

import "net/http"

// Client returns a copy of base that follows no redirects. If base is nil, the client has a transport of its own.
//
// net/http follows a 301 or 302 of a POST with a GET and reports its success although nothing was written, and it sends key
// headers other than Authorization to another host. A redirect is therefore returned as the response.
func Client(base *http.Client) *http.Client {
	client := &http.Client{}
	if base != nil {
		*client = *base
	} else {
		client.Transport = transport()
	}
	client.Transport = withoutRedirects{next: client.Transport}
	return client
}

// transport returns a copy of http.DefaultTransport that keeps more than two idle connections to a host. With two, a hundred
// concurrent senders would open and close a connection for nearly every message.
func transport() http.RoundTripper {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	own := base.Clone()
	own.MaxIdleConnsPerHost = own.MaxIdleConns
	return own
}

// withoutRedirects removes the Location header of every response, so that http.Client returns the response instead of following
// it. CheckRedirect would be too late: http.Client parses Location first and loses the status if that fails.
type withoutRedirects struct {
	next http.RoundTripper // nil means http.DefaultTransport, as in http.Client
}

// RoundTrip implements http.RoundTripper.
func (t withoutRedirects) RoundTrip(req *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(req)
	if resp != nil {
		resp.Header.Del("Location")
	}
	return resp, err
}

// CloseIdleConnections implements the interface that http.Client.CloseIdleConnections looks for.
func (t withoutRedirects) CloseIdleConnections() {
	if next, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}
