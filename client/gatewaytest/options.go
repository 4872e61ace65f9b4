package gatewaytest

import "github.com/mesh-gateway/mesh-go/internal/secret"

// Option configures a gateway for [New] and [Start]. A nil Option is ignored.
type Option func(*config)

// config is a gateway that is being made, so that no option can change a running one.
type config Gateway

// WithToken requires a bearer token on every request but /health: this one, or the token of a registered peer. Without the
// option every request is accepted.
func WithToken(token string) Option { return func(g *config) { g.token = secret.New(token) } }

// WithAddr listens on a fixed address such as "127.0.0.1:8787", so that other processes know it. The default is a free port
// of the loopback interface.
func WithAddr(addr string) Option { return func(g *config) { g.addr = addr } }

// WithoutRequestLog keeps no requests: [Gateway.Requests] returns nil. A long-running gateway then grows only with its peers,
// messages and threads.
func WithoutRequestLog() Option { return func(g *config) { g.server.DisableLog() } }

// WithPeers registers peers with these names and the URLs http://NAME.
func WithPeers(names ...string) Option {
	return func(g *config) {
		for _, name := range names {
			(*Gateway)(g).register(name, "http://"+name, nil)
		}
	}
}

// WithThreads creates threads whose id and name are the given ids. A message with any other thread id gets status 500.
func WithThreads(ids ...string) Option {
	return func(g *config) {
		for _, id := range ids {
			(*Gateway)(g).addThread(id, id, nil)
		}
	}
}

// WithBareArrays returns lists of peers and messages as bare arrays, as other versions of the gateway do.
func WithBareArrays() Option { return func(g *config) { g.bareArrays = true } }

// WithoutIdempotency ignores idempotency keys, as older gateways do.
func WithoutIdempotency() Option { return func(g *config) { g.ignoreKeys = true } }
