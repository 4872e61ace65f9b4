// Package discoverytest is the model catalog and all five providers on one local server, their lists of models, prices,
// balance and bills, for the tests of programs that use package discovery and for demonstrations.
//
//	s := discoverytest.New(t)
//	t.Setenv("ANTHROPIC_API_KEY", "example-key")
//	s.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: 503, Times: -1})
//	models, err := discovery.New(s.Options()...).ListModels(ctx, discovery.CatalogOptions{})
//	// The catalog is down, so these are Anthropic's; s.Requests(discoverytest.ListAnthropicModels) holds what arrived.
//
// It answers as the providers do (WIRE.md sections 1 to 8, which the maintainers keep): the catalog has an ETag and answers
// 304, Anthropic and Gemini page, and a missing or wrong key gets the provider's own refusal. A client reads its keys from
// the environment; the server takes any key until [WithKeys] says which. The catalog, of 109 rows, is replaced with
// [WithCatalog] and [Server.SetCatalog].
//
// [Server.Fail] makes operations fail: with a status, late, by hanging up, with garbage. A Fault with a Status of 200 and
// a Body takes the place of a provider's list; the dates in those lists are of November 2026 and stay so. No operation
// here changes anything, so AfterEffect makes no difference. [Server.Requests] tells what arrived, and shows no key.
//
// A Server is safe for concurrent use.
package discoverytest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

// Server is a running server.
type Server struct {
	// URL is where it listens. Each service has a base path, so that a wrong base URL fails at once: the catalog is at
	// URL + "/catalog", and a service at URL + "/" + its name, as in "/openai".
	URL string

	keys     map[discovery.Service]secret.Secret
	pageSize int
	bare     bool
	site     *testserver.Server[Operation, Request]

	mu   sync.Mutex
	rows []json.RawMessage // of the catalog
}

// New starts a server and closes it when the test ends.
func New(t testing.TB, opts ...Option) *Server {
	t.Helper()
	s := Start(opts...)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server outside of a test; the caller closes it. It panics when there is no local port to listen on.
func Start(opts ...Option) *Server {
	s := &Server{keys: make(map[discovery.Service]secret.Secret), rows: StandardCatalog()}
	s.site = testserver.New(s.record)
	for _, opt := range opts {
		opt(s)
	}
	s.URL = s.site.Start("", s.handler())
	return s
}

// Options points a client at this server: the catalog and every service. Append your own options to it.
func (s *Server) Options() []discovery.Option {
	opts := []discovery.Option{discovery.WithCatalogURL(s.URL + catalogPath)}
	for _, service := range services {
		opts = append(opts, discovery.WithBaseURL(service, s.URL+"/"+string(service)))
	}
	return opts
}

// Fail makes an operation fail. Faults of one operation happen in the order they were planned. An operation that the server
// does not have panics.
func (s *Server) Fail(op Operation, fault Fault) { s.site.Fail(op, fault) }

// Heal forgets the faults that have not happened yet.
func (s *Server) Heal() { s.site.Heal() }

// Close stops the server, ends delayed answers and waits for requests under way. A test may close a server of [New]
// early, to see what happens when nobody can be reached.
func (s *Server) Close() { s.site.Close() }

// Format prints where the server is. Printing what it holds would race with the requests under way.
func (s *Server) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, "discovery server at ", s.URL) }
