package client

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/internal/version"
)

// MeshClient connects a node to a mesh gateway. Make one with [New], share it, and call
// [MeshClient.Close] when it is no longer needed.
//
// Printing or logging it shows the node and the gateway, never the token.
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
	redactor *redactor
	log      *slog.Logger
	// node, or a placeholder if it does not look like a name
	shownNode string
	anyNode   bool     // set by WithoutSelfNameValidation
	state     sync.Map // for package agent
	// lifetime ends when the client is closed.
	lifetime context.Context //nolint:containedctx // it is the client's, not a request's
	end      context.CancelFunc
}

// idleTimeout must stay below five seconds: then the gateway closes idle connections.
const idleTimeout = 4 * time.Second

// New returns a client for the node with the given name. It sends no request.
//
// The token and the gateway's URL come from [WithToken] and [WithGatewayURL], else from
// MESH_GATEWAY_TOKEN and MESH_GATEWAY_URL. A URL is required, a token is optional.
//
// Node names have 2 to 64 lower-case letters, digits and hyphens, start with a letter and
// do not end with a hyphen. New accepts another name for its own node, because such nodes
// exist, but logs a warning. It returns a [*ValueError] if the name is blank, has a
// control character, is not valid UTF-8 or contains the token, or if any other argument
// is invalid.
func New(node string, opts ...Option) (*MeshClient, error) {
	c := &MeshClient{
		limits:   call.Limits{Timeout: DefaultTimeout, MaxBytes: DefaultMaxResponseBytes},
		redactor: new(redactor),
		log:      slog.Default(),
	}
	c.registry = &registry{client: c, ttl: DefaultRegistryTTL}
	if err := c.configure(opts); err != nil {
		return nil, err
	}
	if err := c.setNode(node); err != nil {
		return nil, err
	}
	if c.ownsHTTP = c.http == nil; c.ownsHTTP {
		c.http = &http.Client{Transport: call.Transport(idleTimeout)}
	}
	c.http = call.Client(c.http)
	c.api = &gateway.Client{
		Server:         c.gateway + "/",
		Client:         c.http,
		RequestEditors: []gateway.RequestEditorFn{headers(c.redactor.token)},
	}
	c.gateway = c.redactor.redact(c.gateway)
	c.lifetime, c.end = context.WithCancel(context.Background())
	return c, nil
}

// headers sets no Authorization header if the token is empty.
func headers(token secret.Secret) gateway.RequestEditorFn {
	authorization := ""
	if text := token.Reveal(); text != "" {
		authorization = "Bearer " + text
	}
	return func(_ context.Context, req *http.Request) error {
		req.Header.Set("User-Agent", version.UserAgent())
		if authorization != "" {
			req.Header.Set("Authorization", authorization)
		}
		return nil
	}
}

// Node returns the name under which the client sends and fetches, after aliases.
func (c *MeshClient) Node() string {
	if c == nil {
		return ""
	}
	return c.node
}

// Close ends the calls that wait in package client/agent, such as Watch, Serve and Ask,
// and closes idle connections. Later calls fail with a [*MeshGatewayError] that matches
// net.ErrClosed. Any other request in progress continues, but is not repeated.
//
// Close leaves connections open if the HTTP client came from [WithHTTPClient]. It always
// returns nil, and may be called more than once, or on a nil MeshClient.
func (c *MeshClient) Close() error {
	if c == nil || c.api == nil || c.isClosed() {
		return nil
	}
	c.end()
	if c.ownsHTTP {
		c.http.CloseIdleConnections()
	}
	return nil
}

// whileOpen returns a context that also ends when the client is closed.
func (c *MeshClient) whileOpen(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.lifetime, cancel)
	return ctx, func() { stop(); cancel() }
}

func (c *MeshClient) isClosed() bool { return c.lifetime.Err() != nil }

// sleep returns an error if ctx ends or the client is closed before d has passed.
func (c *MeshClient) sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.lifetime.Done():
		return errClosed
	case <-time.After(d):
		return nil
	}
}

var opHealth = operation{method: http.MethodGet, path: "/health", repeatable: true}

// Health returns the body from the gateway's health endpoint (GET /health): JSON or plain
// text, depending on the gateway. It needs no token. Any status but 2xx is a
// [*MeshGatewayError].
func (c *MeshClient) Health(ctx context.Context) (string, error) {
	resp, err := c.do(ctx, opHealth, func(ctx context.Context) (*http.Response, error) {
		return c.api.GetHealth(ctx)
	})
	return strings.ToValidUTF8(string(resp.Body), "\uFFFD"), err
}

// String names the node and the gateway.
func (c *MeshClient) String() string {
	if c == nil {
		return "mesh client"
	}
	return fmt.Sprintf("mesh client %s at %s", c.shownNode, c.gateway)
}

// GoString keeps %#v from printing the fields.
func (c *MeshClient) GoString() string { return c.String() }

// LogValue returns [MeshClient.String] for log/slog.
func (c *MeshClient) LogValue() slog.Value { return slog.StringValue(c.String()) }
