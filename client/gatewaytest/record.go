package gatewaytest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Request is a request that arrived, whatever became of it.
type Request struct {
	// Operation is empty for a path or method that the gateway does not have.
	Operation Operation
	Method    string
	// Path is without the base path of [Gateway.URL].
	Path  string
	Query url.Values
	// Header is without Authorization, so that printing a request shows no token.
	Header http.Header
	// HasToken is whether there was an Authorization header, and Token what it held, without a leading "Bearer ".
	HasToken bool
	Token    client.Secret
	Body     string
}

// Requests returns what has arrived so far, oldest first: everything, or the given operations alone.
func (g *Gateway) Requests(ops ...Operation) []Request { return g.site.Requests(ops...) }

// ForgetRequests forgets what has arrived so far: [Gateway.Requests] begins anew. A gateway that runs for long needs it now
// and then, since it keeps every request.
func (g *Gateway) ForgetRequests() { g.site.ForgetRequests() }

func record(op Operation, r *http.Request, body []byte) Request {
	header := r.Header.Clone()
	header.Del("Authorization")
	return Request{
		Operation: op,
		Method:    r.Method,
		Path:      r.URL.Path,
		Query:     r.URL.Query(),
		Header:    header,
		HasToken:  r.Header.Get("Authorization") != "",
		Token:     secret.New(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")),
		Body:      string(body),
	}
}
