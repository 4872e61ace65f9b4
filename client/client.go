package client

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/internal/version"
)

// MeshClient is one node's connection to a mesh gateway (SPEC.md, Client operations). Make one with [New], share it, and
// [MeshClient.Close] it at the end. It is safe for concurrent use and reuses connections.
//
// Printed with any verb it shows the node and the gateway, never the token.
type MeshClient struct {
	node     string
	gateway  string
	api      *gateway.Client
	http     *http.Client
	ownsHTTP bool
	limits   call.Limits
	retry    *RetryPolicy
	aliases  map[string]string
	registry *registry
	guard    *guard
	log      *slog.Logger
	closed   atomic.Bool
}

// New returns a client for the node of that name. It sends nothing (SPEC.md, Client operations, rules 1 and 2).
//
// The token and the gateway's URL come from [WithToken] and [WithGatewayURL], else from MESH_GATEWAY_TOKEN and
// MESH_GATEWAY_URL, which are read here and only here. A URL is required; a token is not.
//
// A node name that breaks the rules is logged and accepted, so that a client can be made offline. Everything else that
// is wrong with an argument is a [*ValueError].
func New(node string, opts ...Option) (*MeshClient, error) {
	s, err := newSettings(node, opts)
	if err != nil {
		return nil, err
	}
	c := &MeshClient{
		node:     s.node,
		gateway:  s.guard.redact(s.gatewayURL),
		http:     call.Client(s.httpClient),
		ownsHTTP: s.httpClient == nil,
		limits:   call.Limits{Timeout: s.timeout, MaxBytes: s.maxBytes},
		retry:    s.retry,
		aliases:  s.aliases,
		guard:    s.guard,
		log:      s.logger,
	}
	c.api = &gateway.Client{
		Server:         s.gatewayURL + "/",
		Client:         c.http,
		RequestEditors: []gateway.RequestEditorFn{headers(s.token)},
	}
	c.registry = newRegistry(s.registryTTL, c.ListPeers)
	return c, nil
}

// headers returns what goes onto every request. Without a token there is no Authorization header at all.
func headers(token secret.Secret) gateway.RequestEditorFn {
	bearer := "Bearer " + token.Reveal()
	return func(_ context.Context, req *http.Request) error {
		req.Header.Set("User-Agent", version.UserAgent)
		if token.Reveal() != "" {
			req.Header.Set("Authorization", bearer)
		}
		return nil
	}
}

// Node returns the name this client sends and fetches under, after aliases.
func (c *MeshClient) Node() string { return c.node }

// Close releases the idle connections of the client. Every call after it fails with a [*MeshGatewayError] that matches
// net.ErrClosed; calls under way are not disturbed, their contexts end them. Connections of an http.Client that was
// handed in are left alone. The error is always nil. Closing twice is harmless.
func (c *MeshClient) Close() error {
	if !c.closed.Swap(true) && c.ownsHTTP {
		c.http.CloseIdleConnections()
	}
	return nil
}

// String names the node and the gateway.
func (c *MeshClient) String() string {
	return fmt.Sprintf("mesh client %s at %s", c.node, c.gateway)
}

// GoString is [MeshClient.String], so that %#v does not walk into the fields.
func (c *MeshClient) GoString() string { return c.String() }

// LogValue is [MeshClient.String] for log/slog.
func (c *MeshClient) LogValue() slog.Value { return slog.StringValue(c.String()) }
