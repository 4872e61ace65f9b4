package client

import (
	"cmp"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Option defaults.
const (
	// DefaultTimeout is the default of [WithTimeout].
	DefaultTimeout = 10 * time.Second
	// DefaultRegistryTTL is the default of [WithRegistryTTL].
	DefaultRegistryTTL = 5 * time.Minute
	// DefaultMaxResponseBytes is the default of [WithMaxResponseBytes]: 32 MiB.
	DefaultMaxResponseBytes = 32 << 20
)

// Option configures a client made by [New]. New reports an invalid argument as a
// [*ValueError]. A nil Option is ignored.
type Option func(*config) error

// config keeps options from changing a client after New returns.
type config MeshClient

// configure applies the options, then the environment for a missing token or URL.
func (c *MeshClient) configure(opts []Option) error {
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if err := opt((*config)(c)); err != nil {
			return err
		}
	}
	token := cmp.Or(strings.TrimSpace(c.redactor.token.Reveal()), strings.TrimSpace(os.Getenv("MESH_GATEWAY_TOKEN")))
	if err := checkToken(token); err != nil {
		return err
	}
	c.redactor.token = secret.New(token)
	var err error
	c.gateway, err = parseGatewayURL(cmp.Or(strings.TrimSpace(c.gateway), strings.TrimSpace(os.Getenv("MESH_GATEWAY_URL"))))
	if err != nil {
		return err
	}
	return c.redactor.checkAliases(c.aliases)
}

// setNode accepts names that violate the syntax, with a warning.
func (c *MeshClient) setNode(node string) error {
	if err := checkOwnName(node); err != nil {
		return err
	}
	c.node = resolveAlias(c.aliases, node)
	c.shownNode = c.redactor.show(c.node)
	if c.redactor.hasLiveToken(c.node) {
		// The name is in every message, and every peer can read it.
		return invalid("node", "must not contain the token")
	}
	if c.anyNode {
		return nil
	}
	if err := c.redactor.checkNodeName("node", c.node); err != nil {
		c.log.Warn("the client's own node name is invalid; using it anyway", "error", err)
	}
	return nil
}

// resolveAlias runs before names are validated: an alias can have any spelling.
func resolveAlias(aliases map[string]string, name string) string {
	if target, ok := aliases[name]; ok {
		return target
	}
	return name
}

// WithToken sets the bearer token. White space around it is removed; if nothing is left,
// MESH_GATEWAY_TOKEN is used. [New] rejects a token that is invalid in a header.
func WithToken(token string) Option {
	return func(c *config) error { c.redactor.token = secret.New(token); return nil }
}

// WithGatewayURL sets the base URL of the gateway, with the scheme http or https and
// optionally a base path. If it is blank, MESH_GATEWAY_URL is used. [New] rejects a URL
// with user info, a query or a fragment.
func WithGatewayURL(gatewayURL string) Option {
	return func(c *config) error { c.gateway = gatewayURL; return nil }
}

// WithTimeout limits how long a request waits for the response header, and then for more
// bytes of the body. While bytes keep arriving, a body may take up to ten times the
// timeout.
//
// In Watch and Serve the limit covers a whole message list; if it runs out, they request
// fewer messages. Each repeated attempt has its own limit. The default is
// [DefaultTimeout]; timeout must be positive.
func WithTimeout(timeout time.Duration) Option {
	return func(c *config) error {
		if timeout <= 0 {
			return invalidValue("timeout", timeout, "must be positive")
		}
		c.limits.Timeout = timeout
		return nil
	}
}

// WithoutSelfNameValidation turns off the warning if the client's own node name is
// invalid.
func WithoutSelfNameValidation() Option {
	return func(c *config) error { c.anyNode = true; return nil }
}

// WithHTTPClient sets the HTTP client, for proxies, certificates and tests. New copies
// it. Its Timeout applies, too. Redirects are never followed, and CheckRedirect is
// ignored. Over HTTP/2, a request with a body fails where net/http would otherwise repeat
// it. Set the transport's IdleConnTimeout below five seconds; see "Connections" in the
// package documentation.
func WithHTTPClient(httpClient *http.Client) Option {
	return func(c *config) error {
		if httpClient == nil {
			return invalid("httpClient", "must not be nil")
		}
		c.http = httpClient
		return nil
	}
}

// WithAliases maps aliases to node names. An alias may stand for a node name, and have
// any spelling except "". Each value must be a valid node name. A second WithAliases
// replaces the first.
func WithAliases(aliases map[string]string) Option {
	return func(c *config) error {
		c.aliases = maps.Clone(aliases)
		return nil
	}
}

// WithRegistryTTL sets how long Send uses the cached registry; with 0 every Send reads
// it. The default is [DefaultRegistryTTL]. Before Send rejects a name that is missing
// from the cache, it reads the registry again. So a long TTL only delays noticing that a
// peer was removed or disabled.
func WithRegistryTTL(registryTTL time.Duration) Option {
	return func(c *config) error {
		if registryTTL < 0 {
			return invalidValue("registryTTL", registryTTL, "must not be negative")
		}
		c.registry.ttl = registryTTL
		return nil
	}
}

// WithRetry enables retries, which are off by default. [RetryPolicy] describes what is
// repeated.
func WithRetry(policy RetryPolicy) Option {
	return func(c *config) error {
		complete, err := policy.withDefaults()
		c.retry = &complete
		return err
	}
}

// WithLogger sets the logger. Warnings are about, for example, an invalid node name,
// dropped capabilities or Serve errors without OnError; retries are logged at debug
// level. The default is slog.Default() when New is called. Contents and tokens are never
// logged.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) error {
		if logger == nil {
			return invalid("logger", "must not be nil")
		}
		c.log = logger
		return nil
	}
}

// WithMaxResponseBytes sets the size limit for a response body after decompression. The
// default is [DefaultMaxResponseBytes]; maxBytes must be positive. A response with more
// than 500,000 array elements and map entries is an error, too. Send and
// [MeshClient.ListPeers] can work with a peer list beyond these limits.
func WithMaxResponseBytes(maxBytes int64) Option {
	return func(c *config) error {
		if maxBytes <= 0 {
			return invalidValue("maxBytes", maxBytes, "must be positive")
		}
		c.limits.MaxBytes = maxBytes
		return nil
	}
}

// WithScanner adds a scanner to the scan before each send, for example one with extended
// rules. The twelve standard rules and the live tokens always apply as well.
func WithScanner(scanner *scan.Scanner) Option {
	return func(c *config) error {
		if scanner == nil {
			return invalid("scanner", "must not be nil")
		}
		c.redactor.custom = scanner
		return nil
	}
}
