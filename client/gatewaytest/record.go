package gatewaytest

import (
	"net/http"
	"net/url"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Request is a request that arrived, including one that was rejected or failed.
type Request struct {
	// Operation is "" for a request that is not an operation of this package.
	Operation Operation
	Method    string
	// Path does not include the base path of [Gateway.URL].
	Path  string
	Query url.Values
	// Header does not include Authorization, so that printing a request shows no token.
	Header http.Header
	// HasToken reports whether there was an Authorization header. Token is its value without the prefix "Bearer ".
	HasToken bool
	Token    client.Secret
	Body     string
}

// Requests returns the requests that have arrived, oldest first: of the given operations, or of all.
func (g *Gateway) Requests(ops ...Operation) []Request { return g.server.Requests(ops...) }

// ForgetRequests removes the requests that have arrived, so that [Gateway.Requests] returns only later ones. A long-running
// gateway grows with every request unless ForgetRequests is called from time to time; see also [WithoutRequestLog].
func (g *Gateway) ForgetRequests() { g.server.ForgetRequests() }

func record(op Operation, r *http.Request, body []byte) Request {
	header := r.Header.Clone()
	header.Del("Authorization")
	token, given := bearer(r)
	if !given {
		token = r.Header.Get("Authorization")
	}
	return Request{
		Operation: op,
		Method:    r.Method,
		Path:      r.URL.Path,
		Query:     r.URL.Query(),
		Header:    header,
		HasToken:  r.Header.Get("Authorization") != "",
		Token:     secret.New(token),
		Body:      string(body),
	}
}
