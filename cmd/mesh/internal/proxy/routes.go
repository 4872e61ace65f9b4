package proxy

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// routes forwards requests to the hosts that they are for, and counts them by their host.
type routes struct {
	proxy    *Proxy
	base     http.RoundTripper
	mu       sync.Mutex
	handlers map[string]http.Handler
}

// of returns the handler of a host, such as api.openai.com or 127.0.0.1:8443.
func (r *routes) of(address string) http.Handler {
	address = withoutPort(address)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.handlers[address] == nil {
		r.handlers[address] = r.proxy.reverse(&url.URL{Scheme: "https", Host: address}, "", counted{r.proxy.meters, r.base})
	}
	return r.handlers[address]
}

// withoutPort returns an address without the port of https.
func withoutPort(address string) string { return strings.TrimSuffix(address, ":443") }

// counted sends requests to the hosts that they name and counts them.
type counted struct {
	meters *Meters
	base   http.RoundTripper
}

func (c counted) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := false
	res, err := c.meters.limited(roundTripper(func(req *http.Request) (*http.Response, error) {
		sent = true
		c.meters.hosts.Store(req.URL.Host, true)
		return c.base.RoundTrip(req)
	})).RoundTrip(req)
	if err == nil && !sent { // a budget has refused it
		err = c.meters.refuse(res)
	}
	return res, err
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
