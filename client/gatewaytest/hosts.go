package gatewaytest

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// WithHosts refuses requests to other hosts than these names and addresses, such as localhost, with status 403, and
// requests that a web page of another origin sends. A gateway without a token needs it wherever a browser runs: a page could reach it
// under a name whose address changes to that of the gateway.
func WithHosts(names ...string) Option {
	return func(g *config) { g.hosts = append(g.hosts, names...) }
}

// guarded refuses what WithHosts describes.
func (g *Gateway) guarded(next http.Handler) http.Handler {
	if g.hosts == nil {
		return next
	}
	strange := g.server.Handle(other, func(*http.Request) answer {
		return refuse(http.StatusForbidden, "this gateway has no token and another name; mesh gateway --host NAME adds one")
	})
	var origins http.CrossOriginProtection
	origins.SetDenyHandler(g.server.Handle(other, func(*http.Request) answer {
		return refuse(http.StatusForbidden, "this gateway has no token and does not accept requests of other web pages")
	}))
	next = origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.ContainsFunc(g.hosts, func(name string) bool { return strings.EqualFold(name, hostName(r.Host)) }) {
			strange.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostName returns a host without its port and brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}
