package call

import "net/http"

// Client returns a copy of base that follows no redirect, or a client of its own when base is nil.
//
// net/http follows a 301 or 302 of a POST with a GET, and reports its success although nothing was written; and it
// carries key headers other than Authorization to another host. A redirect is therefore an answer like any other.
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

// transport is net/http's default with room for many idle connections to one host: the default keeps two, and a hundred
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

// withoutRedirects takes the Location off every answer. http.Client follows nothing then, and hands the answer out with
// its status. CheckRedirect would come too late: a Location that cannot be parsed costs the status before it is asked.
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

// CloseIdleConnections lets http.Client.CloseIdleConnections through.
func (t withoutRedirects) CloseIdleConnections() {
	if next, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}
