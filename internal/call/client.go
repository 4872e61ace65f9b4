package call

import "net/http"

// Client returns a copy of base that follows no redirect, or a client of its own when base is nil.
//
// net/http follows a 301 or 302 of a POST with a GET, and reports its success although nothing was written; and it
// carries key headers other than Authorization to another host. A redirect is therefore an answer like any other.
func Client(base *http.Client) *http.Client {
	client := &http.Client{Transport: transport()}
	if base != nil {
		*client = *base
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
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
