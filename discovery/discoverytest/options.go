package discoverytest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Option changes what [New] and [Start] make. One that cannot be used panics: it is a mistake in the test.
type Option func(*Server)

// WithCatalog replaces the rows of the catalog. They go out as they are, so they need not be rows that a client can read,
// but each has to be JSON; for an answer that is none, use [Server.Fail].
func WithCatalog(rows ...json.RawMessage) Option {
	return func(s *Server) { s.SetCatalog(rows...) }
}

// WithBareCatalog answers the catalog as a bare array, without the envelope around it.
func WithBareCatalog() Option { return func(s *Server) { s.bare = true } }

// WithKeys says which key each service accepts. A service that is not in keys accepts any; one whose key is "" accepts
// none. The catalog needs no key.
func WithKeys(keys map[discovery.Service]string) Option {
	return func(s *Server) {
		for service, key := range keys {
			if !slices.Contains(services, service) {
				panic(fmt.Sprintf("discoverytest: WithKeys: there is no service %q", service))
			}
			s.keys[service] = secret.New(key)
		}
	}
}

// WithPageSize makes pages of at most so many rows, however many are asked for, where there are pages of rows: Anthropic,
// Gemini and the billing catalog.
func WithPageSize(rows int) Option {
	if rows < 1 {
		panic(fmt.Sprintf("discoverytest: WithPageSize(%d): a page has at least one row", rows))
	}
	return func(s *Server) { s.pageSize = rows }
}
