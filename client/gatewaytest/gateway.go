// Package gatewaytest runs an in-memory mesh gateway on a local port, for tests, demos
// and development of programs that use package client.
//
//	g := gatewaytest.New(t, gatewaytest.WithToken("test-token"), gatewaytest.WithPeers("node-b"))
//	c, err := client.New("node-a", g.Options()...)
//	_, err = c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "hello"})
//	// g.Requests(gatewaytest.SendMessage) returns the requests that arrived.
//
// It responds like a recorded real gateway. Peers, messages and threads have the real
// filters, limits and idempotency keys. Errors have the real status, content type and
// text, except for the reason why JSON is invalid. docs/gateway.md lists the rules. Like
// older gateways, it ignores the query parameter to_node: a client has to send "to".
// [WithBareArrays] and [WithoutIdempotency] imitate other versions.
//
// # Faults
//
// [Gateway.Fail] makes an operation's next requests fail: with a status, a delay, a
// closed connection or garbage, before or after the request took effect. [Gateway.FailIf]
// calls your function for each request, for example to fail at random. [Gateway.Reset]
// simulates a lost database.
//
//	html := http.Header{"Content-Type": {"text/html"}}
//	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Header: html, Body: "<html>Sign in</html>"}) // a proxy's page with status 200
//	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Delay: time.Hour})                              // hangs until the client gives up
//
// # Limits
//
// Everything is kept in memory and is lost when the gateway closes. The gateway also
// keeps every request that arrived; a long-running gateway needs [WithoutRequestLog] or
// [Gateway.ForgetRequests]. Unlike the real gateway, it has no tasks or channels, does
// not ratify peers, and does not close a connection that is idle or had an internal
// error.
//
// A Gateway is safe for concurrent use.
package gatewaytest

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

// Gateway is a running gateway. Start one with [New], [Start] or [Listen].
type Gateway struct {
	// URL is the address for [client.WithGatewayURL]. It has a base path, so a client that
	// drops the path fails the test.
	URL string

	addr       string
	token      secret.Secret
	bareArrays bool
	ignoreKeys bool
	hosts      []string
	server     *testserver.Server[Operation, Request]
	handler    http.Handler

	mu       sync.Mutex
	peers    map[string]*peer
	callers  map[string]*peer
	messages []*message
	inboxes  map[string][]*message // by recipient
	receipts map[receiptKey]*message
	threads  map[string]*thread // by UUID
}

// TB is implemented by *testing.T and *testing.B. It keeps package testing out of
// programs that use [Start].
type TB interface {
	Helper()
	Cleanup(func())
}

// New starts a gateway and closes it when the test ends.
func New(t TB, opts ...Option) *Gateway {
	t.Helper()
	g := Start(opts...)
	t.Cleanup(g.Close)
	return g
}

// Start starts a gateway outside a test; the caller closes it. It panics if it cannot
// listen; see [Listen].
func Start(opts ...Option) *Gateway {
	g, err := Listen(opts...)
	if err != nil {
		panic(err)
	}
	return g
}

// Listen is [Start], but returns an error if it cannot listen, for example because the
// address given to [WithAddr] is in use.
func Listen(opts ...Option) (*Gateway, error) {
	g := &Gateway{server: testserver.New(record)}
	g.reset()
	for _, opt := range opts {
		if opt != nil {
			opt((*config)(g))
		}
	}
	g.handler = g.guarded(g.router())
	url, err := g.server.Listen(g.addr, http.StripPrefix(basePath, g.handler))
	if err != nil {
		return nil, err
	}
	g.URL = url + basePath
	return g, nil
}

const basePath = "/gateway"

// Handler returns the gateway as a handler for your own server. It shares all data with
// the gateway at [Gateway.URL], but has no base path. Don't use it after [Gateway.Close].
func (g *Gateway) Handler() http.Handler { return g.handler }

// Options returns client options with this gateway's URL and token. If the gateway has no
// token, they contain a placeholder: otherwise the client would send a token from the
// environment.
func (g *Gateway) Options() []client.Option {
	token := cmp.Or(g.token.Reveal(), "gatewaytest")
	return []client.Option{client.WithGatewayURL(g.URL), client.WithToken(token)}
}

// Close stops the gateway, ends delayed responses and waits for requests in progress.
// Call it early to test how a program behaves when the gateway is gone. A second Close
// does nothing.
func (g *Gateway) Close() { g.server.Close() }

// Format prints only the URL, because other fields may change at the same time.
func (g *Gateway) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, "gateway at ", g.URL) }

// Reset simulates a gateway that restarts with an empty database: peers, messages,
// threads and idempotency keys are gone, peer tokens are invalid, and message ids start
// at 1 again. Faults and recorded requests remain.
func (g *Gateway) Reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reset()
}

func (g *Gateway) reset() {
	g.messages = nil
	g.inboxes = make(map[string][]*message)
	g.peers = make(map[string]*peer)
	g.callers = make(map[string]*peer)
	g.receipts = make(map[receiptKey]*message)
	g.threads = make(map[string]*thread)
}

// Disable disables a peer or enables it again. A disabled peer is not listed by default.
// An unknown name is ignored.
func (g *Gateway) Disable(name string, disabled bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.peers[name]; p != nil {
		p.Enabled = 1
		if disabled {
			p.Enabled = 0
		}
	}
}

// Store adds a message as if it had been sent, and returns its id. Names and kind are not
// validated.
func (g *Gateway) Store(from, to, kind, content string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.store(&message{threadMessage: threadMessage{FromNode: from, ToNode: to, Kind: kind, Content: content}}).ID
}

// timestamp has the gateway's format: microseconds, which are left out if they are zero.
func timestamp() string {
	now := time.Now().UTC().Truncate(time.Microsecond)
	if now.Nanosecond() == 0 {
		return now.Format("2006-01-02T15:04:05+00:00")
	}
	return now.Format("2006-01-02T15:04:05.000000+00:00")
}

// Option configures a gateway for [New], [Start] and [Listen]. A nil Option is ignored.
type Option func(*config)

// config keeps options from changing a running gateway.
type config Gateway

// WithToken requires a bearer token on every request but /health: this one, or a
// registered peer's. Without the option every request is accepted.
func WithToken(token string) Option { return func(g *config) { g.token = secret.New(token) } }

// WithAddr sets a fixed address such as "127.0.0.1:8787", for clients in other processes.
// The default is a free port on the loopback interface.
func WithAddr(addr string) Option { return func(g *config) { g.addr = addr } }

// WithoutRequestLog stops recording requests, so a long-running gateway doesn't fill the
// memory with them. [Gateway.Requests] returns nil.
func WithoutRequestLog() Option { return func(g *config) { g.server.DisableLog() } }

// WithPeers registers peers with these names and the URLs http://NAME.
func WithPeers(names ...string) Option {
	return func(g *config) {
		for _, name := range names {
			(*Gateway)(g).register(name, "http://"+name, nil)
		}
	}
}

// WithThreads creates a thread for each id, with the id as its name. As at the real
// gateway, a message with an unknown thread id gets status 500.
func WithThreads(ids ...string) Option {
	return func(g *config) {
		for _, id := range ids {
			(*Gateway)(g).addThread(id, id, nil)
		}
	}
}

// WithBareArrays returns peers and messages as bare arrays, as other gateway versions do.
func WithBareArrays() Option { return func(g *config) { g.bareArrays = true } }

// WithoutIdempotency ignores idempotency keys, as older gateways do.
func WithoutIdempotency() Option { return func(g *config) { g.ignoreKeys = true } }

// WithHosts accepts only requests whose Host is one of these names or addresses, such as
// localhost, and refuses POST requests from web pages with another origin. Refused
// requests get status 403.
//
// Use it for a gateway without a token on a machine with a browser. Otherwise a web page
// could reach the gateway through a host name that it points at the gateway's address.
func WithHosts(names ...string) Option {
	return func(g *config) { g.hosts = append(g.hosts, names...) }
}

// guarded applies WithHosts.
func (g *Gateway) guarded(next http.Handler) http.Handler {
	if g.hosts == nil {
		return next
	}
	strange := g.server.Handle(other, func(*http.Request) response {
		return refuse(http.StatusForbidden, "a gateway without a token accepts only its own host names; mesh gateway --host NAME adds one")
	})
	var origins http.CrossOriginProtection
	origins.SetDenyHandler(g.server.Handle(other, func(*http.Request) response {
		return refuse(http.StatusForbidden, "a gateway without a token refuses requests from other web pages")
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

// hostName removes the port and brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}

// Fault describes how an operation fails. The fields combine: a delayed 503, or garbage
// in a body that breaks off.
//
//	Times       int           // number of requests that fail; 0 means 1, a negative number means all from now on
//	Delay       time.Duration // time before the response; without other fields the usual response follows
//	BytesPerSecond int        // rate of the body of the usual response, as on a slow link; 0 means no limit
//	HangUp      bool          // close the connection instead of responding; with Body, in the middle of the body
//	AfterEffect bool          // let the request take effect, and replace only its response
//	AfterEvents int           // must be 0, because the gateway has no streams
//	Status      int           // status of the response; 0 means 200
//	Header      http.Header   // header of the response; the default Content-Type is text/plain
//	Body        string        // body of the response
//
// A Delay ends early when the client disconnects or the gateway closes. With HangUp and
// Body, the connection closes after the status, the header and Body, one byte before the
// announced length.
type Fault = testserver.Fault

// Fail makes an operation's next requests fail. Several faults for one operation happen
// in the order of the Fail calls. Fail panics if the operation is unknown or the status
// is invalid.
func (g *Gateway) Fail(op Operation, fault Fault) { g.server.Fail(op, fault) }

// FailIf calls choose for every request without a fault from [Gateway.Fail], and applies
// the fault that choose returns, if any. It ignores Fault.Times. choose must be safe for
// concurrent use. A second FailIf replaces the first.
func (g *Gateway) FailIf(choose func(Request) *Fault) { g.server.FailIf(choose) }

// Heal removes the faults that have not happened yet, and the function set by FailIf.
func (g *Gateway) Heal() { g.server.Heal() }
