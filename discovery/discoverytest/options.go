package discoverytest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Option configures a Server. An invalid argument panics: it is a mistake in the test. A nil Option is ignored.
type Option func(*config)

// config is a server that is being made, so that no option can change a running one.
type config Server

// WithAddr listens on a fixed address such as "127.0.0.1:8788", so that other processes know it. The default is a free port
// of the loopback interface.
func WithAddr(addr string) Option { return func(s *config) { s.addr = addr } }

// WithoutRequestLog keeps no requests: [Server.Requests] returns nil. The memory of a long-running server then does not grow.
func WithoutRequestLog() Option { return func(s *config) { s.site.DisableLog() } }

// WithCatalog replaces the rows of the catalog. Each must be JSON, but need not be a row that a client can decode. For a
// response that is not JSON, use [Server.Fail].
func WithCatalog(rows ...json.RawMessage) Option {
	return func(s *config) { (*Server)(s).SetCatalog(rows...) }
}

// WithBareCatalog serves the catalog as an array without an envelope.
func WithBareCatalog() Option { return func(s *config) { s.bare = true } }

// WithKeys sets the key that each service accepts. A service that is not in keys accepts any key; one whose key is ""
// accepts none. The catalog needs no key.
func WithKeys(keys map[discovery.Service]string) Option {
	return func(s *config) {
		for service, key := range keys {
			if !slices.Contains(services, service) && !slices.Contains(adminServices, service) {
				panic(fmt.Sprintf("discoverytest: WithKeys: unknown service %q", service))
			}
			s.keys[service] = secret.New(key)
		}
	}
}

// WithPageSize limits the rows of a page, whatever a client requests, for Anthropic, Gemini, the billing catalog and the days of costs.
func WithPageSize(rows int) Option {
	if rows < 1 {
		panic(fmt.Sprintf("discoverytest: WithPageSize(%d): a page has at least one row", rows))
	}
	return func(s *config) { s.pageSize = rows }
}
