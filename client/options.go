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

// What holds when no option says otherwise.
const (
	// DefaultTimeout bounds one request (SPEC.md, Limits).
	DefaultTimeout = 10 * time.Second
	// DefaultRegistryTTL is how long Send relies on the registry as it last read it.
	DefaultRegistryTTL = 5 * time.Minute
	// DefaultMaxResponseBytes bounds a response body: 32 MiB.
	DefaultMaxResponseBytes = 32 << 20
)

// Option changes what [New] makes. A bad value is reported by New as a [*ValueError].
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
	guard        *guard
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
			return nil, &ValueError{Field: "option", Reason: "is nil"}
		}
		if err := opt(s); err != nil {
			return nil, err
		}
	}
	if err := s.setToken(cmp.Or(strings.TrimSpace(s.token.Reveal()), strings.TrimSpace(os.Getenv("MESH_GATEWAY_TOKEN")))); err != nil {
		return nil, err
	}
	if err := s.setGatewayURL(cmp.Or(strings.TrimSpace(s.gatewayURL), strings.TrimSpace(os.Getenv("MESH_GATEWAY_URL")))); err != nil {
		return nil, err
	}
	s.guard = newGuard(s.token, s.scanner)
	if err := s.checkAliases(); err != nil {
		return nil, err
	}
	return s, s.setNode(node)
}

// WithToken gives the bearer token of the gateway. It is trimmed; a blank one counts as not given, and then
// MESH_GATEWAY_TOKEN is used (SPEC.md, Authentication). A token that cannot stand in a header is refused by [New].
func WithToken(token string) Option {
	return func(s *settings) error { s.token = secret.New(token); return nil }
}

// WithGatewayURL gives the base URL of the gateway; blank counts as not given, and then MESH_GATEWAY_URL is used. The
// scheme is http or https, a base path is kept, a trailing slash is harmless; user info, query and fragment are refused.
func WithGatewayURL(url string) Option {
	return func(s *settings) error { s.gatewayURL = url; return nil }
}

// WithTimeout bounds each request, from sending to the last byte of the answer; a retry is a request of its own. The
// default is [DefaultTimeout]. It has to be positive.
func WithTimeout(d time.Duration) Option {
	return func(s *settings) error {
		if d <= 0 {
			return &ValueError{Field: "timeout", Value: d.String(), Reason: "has to be positive"}
		}
		s.timeout = d
		return nil
	}
}

// WithoutSelfNameValidation accepts any own node name without a word in the log.
func WithoutSelfNameValidation() Option {
	return func(s *settings) error { s.skipNodeName = true; return nil }
}

// WithHTTPClient sends through the given client, for proxies, certificates and tests. It is copied, so the original
// keeps its settings; redirects are never followed, whatever it says.
func WithHTTPClient(client *http.Client) Option {
	return func(s *settings) error {
		if client == nil {
			return &ValueError{Field: "http client", Reason: "is nil"}
		}
		s.httpClient = client
		return nil
	}
}

// WithAliases gives other names for nodes: the key may be used wherever a node name is asked for, and stands for the
// value, which has to be a valid node name. Given twice, the later map replaces the earlier one.
func WithAliases(aliases map[string]string) Option {
	return func(s *settings) error {
		s.aliases = maps.Clone(aliases)
		return nil
	}
}

// WithRegistryTTL sets how long Send relies on the registry as it last read it; 0 asks every time. The default is
// [DefaultRegistryTTL]. A name that is not in what was read is asked for again before it is refused, so a longer time
// only delays noticing that a peer has gone.
func WithRegistryTTL(ttl time.Duration) Option {
	return func(s *settings) error {
		if ttl < 0 {
			return &ValueError{Field: "registry TTL", Value: ttl.String(), Reason: "is negative"}
		}
		s.registryTTL = ttl
		return nil
	}
}

// WithRetry switches retries on; they are off by default. See [RetryPolicy] for what is retried.
func WithRetry(policy RetryPolicy) Option {
	return func(s *settings) error {
		complete, err := policy.withDefaults()
		s.retry = &complete
		return err
	}
}

// WithLogger sets where warnings go: a bad own name, a full Watch window, retries (at debug level). The default is
// slog.Default() at the time of New. Contents and tokens are never logged.
func WithLogger(logger *slog.Logger) Option {
	return func(s *settings) error {
		if logger == nil {
			return &ValueError{Field: "logger", Reason: "is nil"}
		}
		s.logger = logger
		return nil
	}
}

// WithMaxResponseBytes bounds a response body, after decompression; a longer one is an error. The default is
// [DefaultMaxResponseBytes].
func WithMaxResponseBytes(n int64) Option {
	return func(s *settings) error {
		if n <= 0 {
			return &ValueError{Field: "max response bytes", Value: strconv.FormatInt(n, 10), Reason: "has to be positive"}
		}
		s.maxBytes = n
		return nil
	}
}

// WithScanner adds a scanner of the caller's to the scan before each send, for example one with extended rules. The
// twelve documented rules and the live tokens are looked for all the same.
func WithScanner(scanner *scan.Scanner) Option {
	return func(s *settings) error {
		if scanner == nil {
			return &ValueError{Field: "scanner", Reason: "is nil"}
		}
		s.scanner = scanner
		return nil
	}
}
