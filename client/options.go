package client

import (
	"cmp"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Defaults of the options.
const (
	// DefaultTimeout is the time limit of one request.
	DefaultTimeout = 10 * time.Second
	// DefaultRegistryTTL is the time for which Send uses the cached registry.
	DefaultRegistryTTL = 5 * time.Minute
	// DefaultMaxResponseBytes is the size limit of a response body: 32 MiB.
	DefaultMaxResponseBytes = 32 << 20
)

// Option configures a client made by [New]. New reports an invalid argument as a [*ValueError]. A nil Option is ignored.
type Option func(*settings) error

type settings struct {
	node         string
	token        secret.Secret
	gatewayURL   string
	timeout      time.Duration
	maxBytes     int64
	registryTTL  time.Duration
	retry        *RetryPolicy
	aliases      map[string]string
	httpClient   *http.Client
	logger       *slog.Logger
	scanner      *scan.Scanner
	redactor     *redactor
	skipNodeName bool
}

func newSettings(node string, opts []Option) (*settings, error) {
	s := &settings{
		timeout:     DefaultTimeout,
		maxBytes:    DefaultMaxResponseBytes,
		registryTTL: DefaultRegistryTTL,
		logger:      slog.Default(),
	}
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if err := opt(s); err != nil {
			return nil, err
		}
	}
	s.token = secret.New(cmp.Or(strings.TrimSpace(s.token.Reveal()), strings.TrimSpace(os.Getenv("MESH_GATEWAY_TOKEN"))))
	if err := checkToken(s.token.Reveal()); err != nil {
		return nil, err
	}
	var err error
	s.gatewayURL, err = parseGatewayURL(cmp.Or(strings.TrimSpace(s.gatewayURL), strings.TrimSpace(os.Getenv("MESH_GATEWAY_URL"))))
	if err != nil {
		return nil, err
	}
	s.redactor = &redactor{token: s.token, custom: s.scanner}
	if err := s.redactor.checkAliases(s.aliases); err != nil {
		return nil, err
	}
	return s, s.setNode(node)
}

// setNode sets the client's own node name. A name that violates the syntax is accepted and logged.
func (s *settings) setNode(node string) error {
	if err := checkOwnName(node); err != nil {
		return err
	}
	s.node = resolveAlias(s.aliases, node)
	if s.redactor.hasLiveToken(s.node) {
		// The name is in every message, and every peer can read it.
		return &ValueError{Field: "node", Reason: "must not contain the token"}
	}
	if s.skipNodeName {
		return nil
	}
	if err := s.redactor.checkNodeName("node", s.node); err != nil {
		s.logger.Warn("the client's own node name is invalid; using it anyway", "error", err)
	}
	return nil
}

// resolveAlias returns the node name that name stands for. Aliases are resolved before names are validated, so that an
// alias can have any spelling.
func resolveAlias(aliases map[string]string, name string) string {
	if target, ok := aliases[name]; ok {
		return target
	}
	return name
}

// WithToken sets the bearer token. White space around it is removed; if nothing is left, MESH_GATEWAY_TOKEN is used. [New]
// rejects a token that cannot be sent in a header.
func WithToken(token string) Option {
	return func(s *settings) error { s.token = secret.New(token); return nil }
}

// WithGatewayURL sets the base URL of the gateway, with the scheme http or https and optionally a base path. If it is blank,
// MESH_GATEWAY_URL is used. [New] rejects a URL with user info, a query or a fragment.
func WithGatewayURL(gatewayURL string) Option {
	return func(s *settings) error { s.gatewayURL = gatewayURL; return nil }
}

// WithTimeout sets the time limit of each request, from sending it to the last byte of the response. Each attempt of a
// repeated request has its own time limit. The default is [DefaultTimeout]; timeout must be positive.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) error {
		if timeout <= 0 {
			return &ValueError{Field: "timeout", Value: timeout.String(), Reason: "must be positive"}
		}
		s.timeout = timeout
		return nil
	}
}

// WithoutSelfNameValidation turns off the warning about an invalid node name of the client itself.
func WithoutSelfNameValidation() Option {
	return func(s *settings) error { s.skipNodeName = true; return nil }
}

// WithHTTPClient sets the HTTP client, for proxies, certificates and tests. The client is copied. Redirects are never followed,
// whatever its CheckRedirect is. Requests with a body are sent without GetBody, so that net/http does not repeat them over
// HTTP/2. Its transport should close idle connections after less than five seconds (IdleConnTimeout). See "Connections" in the
// package documentation.
func WithHTTPClient(httpClient *http.Client) Option {
	return func(s *settings) error {
		if httpClient == nil {
			return &ValueError{Field: "httpClient", Reason: "must not be nil"}
		}
		s.httpClient = httpClient
		return nil
	}
}

// WithAliases sets aliases for node names: a key may be used instead of a node name, its value must be a valid node name. If
// the option is repeated, the last map is used.
func WithAliases(aliases map[string]string) Option {
	return func(s *settings) error {
		s.aliases = maps.Clone(aliases)
		return nil
	}
}

// WithRegistryTTL sets the time for which Send uses the cached registry; with 0 every Send reads it. The default is
// [DefaultRegistryTTL]. A name that is missing from the cache is looked up again before Send rejects it, so a long time matters
// only for peers that have been removed or disabled.
func WithRegistryTTL(registryTTL time.Duration) Option {
	return func(s *settings) error {
		if registryTTL < 0 {
			return &ValueError{Field: "registryTTL", Value: registryTTL.String(), Reason: "must not be negative"}
		}
		s.registryTTL = registryTTL
		return nil
	}
}

// WithRetry enables retries, which are off by default. [RetryPolicy] describes what is repeated.
func WithRetry(policy RetryPolicy) Option {
	return func(s *settings) error {
		complete, err := policy.withDefaults()
		s.retry = &complete
		return err
	}
}

// WithLogger sets the logger for warnings (an invalid node name, a full poll of Watch, errors of Serve without OnError) and for
// retries, which are logged at debug level. The default is the slog.Default() at the time of New. Contents and tokens are never logged.
func WithLogger(logger *slog.Logger) Option {
	return func(s *settings) error {
		if logger == nil {
			return &ValueError{Field: "logger", Reason: "must not be nil"}
		}
		s.logger = logger
		return nil
	}
}

// WithMaxResponseBytes sets the size limit of a response body after decompression. The default is [DefaultMaxResponseBytes]; maxBytes
// must be positive. A response with more than half a million array elements and map entries is also an error, whatever its size.
// Send and [MeshClient.ListPeers] work with a peer list beyond these limits.
func WithMaxResponseBytes(maxBytes int64) Option {
	return func(s *settings) error {
		if maxBytes <= 0 {
			return &ValueError{Field: "maxBytes", Value: strconv.FormatInt(maxBytes, 10), Reason: "must be positive"}
		}
		s.maxBytes = maxBytes
		return nil
	}
}

// WithScanner adds a scanner to the scan before each send, for example one with extended rules. The twelve standard rules and
// the live tokens always apply as well.
func WithScanner(scanner *scan.Scanner) Option {
	return func(s *settings) error {
		if scanner == nil {
			return &ValueError{Field: "scanner", Reason: "must not be nil"}
		}
		s.scanner = scanner
		return nil
	}
}
