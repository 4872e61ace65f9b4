// Package gatewaytest is a mesh gateway in memory, on a local port, for the tests of programs that use package client and
// for demonstrations.
//
//	g := gatewaytest.New(t, gatewaytest.WithToken("test-token"), gatewaytest.WithPeers("node-b"))
//	c, err := client.New("node-a", g.Options()...)
//	_, err = c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "hello"})
//	// g.Requests(gatewaytest.SendMessage) holds what arrived.
//
// It answers like the gateway whose exchanges were recorded (WIRE.md section 0, which the maintainers keep): enabled is 1 or
// 0, a task id comes back as a number, read state is set once, the inbox is newest first, unknown kinds are 400, bad fields
// 422 with details, an unknown thread is 500 in plain text, idempotency keys are honoured. [WithBareArrays] makes it an
// older gateway.
//
// [Gateway.Fail] makes operations fail: with a status, late, by hanging up, with garbage; before or after the request took
// effect; [Gateway.FailIf] makes some requests fail, by chance say. [Gateway.Requests] tells what arrived.
//
// A Gateway is safe for concurrent use. It keeps everything in memory and checks no node names, as the real one does not.
package gatewaytest

import (
	"cmp"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

// Gateway is a running gateway.
type Gateway struct {
	// URL is where it listens. It has a base path, so that a client that drops base paths fails at once.
	URL string

	token      secret.Secret
	bareArrays bool
	ignoreKeys bool
	threads    map[string]bool
	site       *testserver.Server[Operation, Request]

	mu       sync.Mutex
	peers    []*peer
	messages []*message
	inboxes  map[string][]*message // the same, by recipient: a long run has many
	receipts map[string]*message
}

// Option changes what [New] and [Start] make.
type Option func(*Gateway)

// WithToken demands the bearer token on everything but /health. Without it any request is let in.
func WithToken(token string) Option { return func(g *Gateway) { g.token = secret.New(token) } }

// WithPeers registers peers of these names, with the URL http://NAME.
func WithPeers(names ...string) Option {
	return func(g *Gateway) {
		for _, name := range names {
			g.register(name, "http://"+name, nil)
		}
	}
}

// WithThreads makes these thread ids known; every other is answered 500, as the real gateway does.
func WithThreads(ids ...string) Option {
	return func(g *Gateway) {
		for _, id := range ids {
			g.threads[id] = true
		}
	}
}

// WithBareArrays answers lists as bare arrays, as other versions of the gateway do.
func WithBareArrays() Option { return func(g *Gateway) { g.bareArrays = true } }

// WithoutIdempotency ignores idempotency keys, as older gateways do.
func WithoutIdempotency() Option { return func(g *Gateway) { g.ignoreKeys = true } }

// New starts a gateway and closes it when the test ends.
func New(t testing.TB, opts ...Option) *Gateway {
	t.Helper()
	g := Start(opts...)
	t.Cleanup(g.Close)
	return g
}

// Start starts a gateway outside of a test; the caller closes it. It panics when there is no local port to listen on.
func Start(opts ...Option) *Gateway {
	g := &Gateway{
		threads:  make(map[string]bool),
		inboxes:  make(map[string][]*message),
		receipts: make(map[string]*message),
		site:     testserver.New(record),
	}
	for _, opt := range opts {
		opt(g)
	}
	g.URL = g.site.Start(http.StripPrefix(basePath, g.handler())) + basePath
	return g
}

const basePath = "/gateway"

// Options points a client at this gateway, with its token. Append your own options to it. A gateway without a token is
// given one all the same: a real one, from the environment of whoever runs the test, must not end up here.
func (g *Gateway) Options() []client.Option {
	token := cmp.Or(g.token.Reveal(), "gatewaytest")
	return []client.Option{client.WithGatewayURL(g.URL), client.WithToken(token)}
}

// Close stops the gateway, ends delayed answers and waits for requests under way. A test may close a gateway of [New]
// early, to see what happens when the gateway has gone.
func (g *Gateway) Close() { g.site.Close() }

// Format prints where the gateway is. Printing what it holds would race with the requests under way.
func (g *Gateway) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, "gateway at ", g.URL) }

// Disable hides a peer from the list, or shows it again (WIRE.md G20).
func (g *Gateway) Disable(name string, disabled bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.find(name); p != nil {
		p.disabled = disabled
	}
}

// Store puts a message into the gateway as if somebody had sent it, whatever its names and kind, and returns its id.
func (g *Gateway) Store(from, to, kind, content string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.store(&message{from: from, to: to, kind: kind, content: content}).id
}

// timestamp is now as the gateway writes it: microseconds, left out when they are zero (WIRE.md G17).
func timestamp() string {
	now := time.Now().UTC().Truncate(time.Microsecond)
	if now.Nanosecond() == 0 {
		return now.Format("2006-01-02T15:04:05+00:00")
	}
	return now.Format("2006-01-02T15:04:05.000000+00:00")
}
