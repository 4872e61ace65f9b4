package discovery

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/version"
)

// What holds when no option says otherwise.
const (
	// DefaultCatalogTTL is how long a catalog is relied on (SPEC.md, Limits).
	DefaultCatalogTTL = 24 * time.Hour
	// DefaultOutageTTL is how long a failed catalog is left alone, and what took its place is used.
	DefaultOutageTTL = time.Minute
	// DefaultMaxResponseBytes bounds a response body: 32 MiB.
	DefaultMaxResponseBytes = 32 << 20

	defaultCatalogURL = "https://api.aimlapi.com"
	// listTimeout bounds one request for a list of models.
	listTimeout = 30 * time.Second
)

// Client answers questions about models and their cost. Make one with [New], or share the process-wide [Default]. It is
// safe for concurrent use; everything it caches it caches for itself. It holds no key: keys are read from the environment,
// or taken from an argument, at each call.
type Client struct {
	http       *http.Client
	catalogURL string
	baseURLs   map[Service]string
	maxBytes   int64
	outageTTL  time.Duration
	log        *slog.Logger
	onFailure  func(Failure)
	strict     bool

	catalog catalogCache
	pricing pricingCache
}

// New returns a client. It sends nothing and reads no key.
//
// An option that cannot be used (a URL that is none, a nil logger) panics with its [*ValueError] where it is made: it is a
// mistake in the program, and this constructor has no error to return it in. MESH_CATALOG_URL, which is read here, is not
// looked at: a bad one is a [Failure] of every read of the catalog.
func New(opts ...Option) *Client {
	c := &Client{
		catalogURL: strings.TrimRight(strings.TrimSpace(os.Getenv("MESH_CATALOG_URL")), "/"),
		baseURLs:   defaultBaseURLs(),
		maxBytes:   DefaultMaxResponseBytes,
		outageTTL:  DefaultOutageTTL,
		log:        slog.Default(),
		onFailure:  func(Failure) {},
	}
	for _, opt := range opts {
		if opt == nil {
			panic(&ValueError{Field: "option", Reason: "is nil"})
		}
		opt(c)
	}
	if c.catalogURL == "" {
		c.catalogURL = defaultCatalogURL
	}
	c.http = call.Client(c.http)
	return c
}

// Default returns the client of the process, made with no options at the first call, so that its caches are shared.
func Default() *Client { return defaultClient() }

var defaultClient = sync.OnceValue(func() *Client { return New() })

// String says only what it is: there is nothing in a client that a log needs.
func (c *Client) String() string { return "discovery client" }

// GoString is [Client.String], so that %#v does not walk into the fields.
func (c *Client) GoString() string { return c.String() }

// edit puts headers onto a request: the user agent, and the key where there is one.
func edit(header, value string) func(context.Context, *http.Request) error {
	return func(_ context.Context, req *http.Request) error {
		req.Header.Set("User-Agent", version.UserAgent)
		if header != "" {
			req.Header.Set(header, value)
		}
		return nil
	}
}
