package gatewaytest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

// Operation is a gateway operation, named by its operationId in specs/gateway.yaml.
type Operation string

// other stands for requests that aren't in specs/gateway.yaml.
const other Operation = ""

type route struct {
	method, path string
	handler      http.Handler
}

// router has one route per path and method.
func (g *Gateway) router() http.Handler {
	var routes []route
	add := func(method, path string, op Operation, parse func(*http.Request) (action, []issue)) {
		routes = append(routes, route{method, path, g.serve(op, parse)})
	}
	add("GET", "/health", GetHealth, g.health)
	add("GET", "/features", other, g.features)
	add("POST", "/tasks", other, g.createTask)
	add("GET", "/peers", ListPeers, g.listPeers)
	add("POST", "/peers/register", RegisterPeer, g.registerPeer)
	add("GET", "/peers/{name}", GetPeer, g.getPeer)
	add("GET", "/messages", ListMessages, g.listMessages)
	add("POST", "/messages", SendMessage, g.sendMessage)
	add("POST", "/messages/{msg_id}/read", MarkMessageRead, g.markMessageRead)
	add("GET", "/threads", ListThreads, g.listThreads)
	add("POST", "/threads", OpenThread, g.openThread)
	add("GET", "/threads/{uuid}", GetThread, g.getThread)
	unmatched := g.server.Handle(other, func(r *http.Request) response { return refuseRoute(routes, r) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, route := range routes {
			if r.Method == route.method && matchPath(route.path, r.URL.Path, r) {
				route.handler.ServeHTTP(w, r)
				return
			}
		}
		unmatched.ServeHTTP(w, r)
	})
}

// matchPath reports whether path fits pattern, and sets r's path values. It is not
// net/http's mux, which answers HEAD on a GET route and redirects paths with double
// slashes: the gateway does neither.
func matchPath(pattern, path string, r *http.Request) bool {
	names, segments := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(names) != len(segments) {
		return false
	}
	for i, name := range names {
		switch wildcard := strings.HasPrefix(name, "{"); {
		case wildcard && segments[i] == "", !wildcard && segments[i] != name:
			return false
		case wildcard:
			r.SetPathValue(strings.Trim(name, "{}"), segments[i])
		}
	}
	return true
}

// refuseRoute answers a request without a route: 405 if only the method differs, 307 for
// a trailing slash, else 404.
func refuseRoute(routes []route, r *http.Request) response {
	trimmed, slash := strings.CutSuffix(r.URL.Path, "/")
	for _, route := range routes {
		if matchPath(route.path, r.URL.Path, r) {
			refusal := refuse(http.StatusMethodNotAllowed, "Method Not Allowed")
			refusal.Header = http.Header{"Allow": {route.method}}
			return refusal
		}
		if slash && matchPath(route.path, trimmed, r) {
			return redirect(r)
		}
	}
	return refuse(http.StatusNotFound, "Not Found")
}

// redirect removes the trailing slash.
func redirect(r *http.Request) response {
	target := *r.URL
	if sent, err := url.ParseRequestURI(r.RequestURI); err == nil {
		target = *sent // with the base path, which r.URL has lost
	}
	target.Scheme, target.Host = "http", r.Host
	target.Path, target.RawPath = strings.TrimSuffix(target.Path, "/"), ""
	return response{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {target.String()}, "Content-Type": nil}}
}

type response = testserver.Response

// action carries out a valid request. caller is the peer whose token was sent, or nil.
type action func(caller *peer) response

// serve validates a request with parse before it checks the token, as the real gateway
// does: an invalid request without a token gets 422.
func (g *Gateway) serve(op Operation, parse func(*http.Request) (action, []issue)) http.Handler {
	return g.server.Handle(op, func(r *http.Request) response {
		run, issues := parse(r)
		if len(issues) > 0 {
			return response{Status: http.StatusUnprocessableEntity, Body: object{"detail": issues}}
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		caller, refusal := g.authenticate(op, r)
		if refusal != nil {
			return *refusal
		}
		return run(caller)
	})
}

// authenticate checks the bearer token: the gateway's own, or a peer's, which it returns.
// /health needs no token.
func (g *Gateway) authenticate(op Operation, r *http.Request) (*peer, *response) {
	token, given := bearer(r)
	if caller := g.callers[token]; given && caller != nil {
		return caller, nil
	}
	want := g.token.Reveal()
	if want == "" || token == want && given || op == GetHealth {
		return nil, nil //nolint:nilnil // the caller is not a peer, which is allowed
	}
	refusal := refuse(http.StatusUnauthorized, "bad token")
	if !given {
		refusal = refuse(http.StatusUnauthorized, "missing bearer token")
	}
	return nil, &refusal
}

// bearer accepts more than one space before the token.
func bearer(r *http.Request) (token string, given bool) {
	token, given = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return strings.TrimSpace(token), given
}

type object = map[string]any

func ok(body any) response { return response{Status: http.StatusOK, Body: body} }

func refuse(status int, detail string) response {
	return response{Status: status, Body: object{"detail": detail}}
}

// internalError is the gateway's plain-text response to anything that it did not foresee.
func internalError() response {
	return response{Status: http.StatusInternalServerError, Text: "Internal Server Error"}
}

// GetHealth is GET /health, the only operation that needs no token.
const GetHealth Operation = "getHealth"

func (g *Gateway) health(*http.Request) (action, []issue) {
	return func(*peer) response {
		enabled := 0
		for _, p := range g.peers {
			enabled += p.Enabled
		}
		return ok(object{
			"status": "ok", "service": "mesh-gateway", "version": "0.1.2",
			"schema_version": 12, "db_path": ":memory:", "n_peers_enabled": enabled, "n_tasks_pending": 0,
		})
	}, nil
}

func (g *Gateway) features(*http.Request) (action, []issue) {
	return func(*peer) response {
		return ok(object{"features": []any{}, "count": 0, "generated_at": timestamp()})
	}, nil
}

// createTask refuses an incomplete task as the real gateway does, and a complete one
// because there are no tasks here.
func (g *Gateway) createTask(r *http.Request) (action, []issue) {
	f := readBody(r)
	for _, field := range []string{"task_id", "category", "spec_json", "added_by"} {
		f.given(field)
	}
	return func(*peer) response { return refuse(http.StatusNotImplemented, "gatewaytest has no tasks") }, f.issues
}

// Request is a request that arrived, including one that was rejected or failed.
type Request struct {
	// Operation is "" for a request that is not an operation in this package.
	Operation Operation
	Method    string
	// Path does not include the base path of [Gateway.URL].
	Path  string
	Query url.Values
	// Header does not include Authorization, so that a printed request shows no token.
	Header http.Header
	// HasToken reports whether there was an Authorization header. Token is its value without
	// "Bearer ".
	HasToken bool
	Token    client.Secret
	Body     string
}

// Requests returns the recorded requests, oldest first. Without arguments it returns all,
// otherwise those for the given operations.
func (g *Gateway) Requests(ops ...Operation) []Request { return g.server.Requests(ops...) }

// ForgetRequests clears the recorded requests. Call it from time to time in a
// long-running gateway, or use [WithoutRequestLog]; otherwise every request stays in
// memory.
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
