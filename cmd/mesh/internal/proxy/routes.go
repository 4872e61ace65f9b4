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
		r.handlers[address] = r.proxy.reverse(&url.URL{Scheme: "https", Host: address}, "", r.proxy.meters.byHost(r.base))
	}
	return r.handlers[address]
}

// withoutPort returns an address without the port of https.
func withoutPort(address string) string { return strings.TrimSuffix(address, ":443") }
