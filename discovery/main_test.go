// This file has the shared test server, and unsets the environment.

package discovery_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// TestMain unsets the package's variables, so the developer's environment doesn't affect
// the tests.
func TestMain(m *testing.M) {
	unsetEnvironment()
	debug.SetGCPercent(400) // a small heap is collected too often
	os.Exit(m.Run())
}

// environmentName matches environment variable names in the package's sources.
var environmentName = regexp.MustCompile(`"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"`)

// unsetEnvironment unsets every variable that the package reads. It finds their names in
// the sources.
func unsetEnvironment() {
	sources, _ := filepath.Glob("*.go")
	for _, name := range slices.DeleteFunc(sources, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		for _, found := range environmentName.FindAllSubmatch(text, -1) {
			os.Unsetenv(string(found[1]))
		}
	}
}

// Not parallel: it changes the environment.
func TestEnvironmentOfTheDeveloperIsUnset(t *testing.T) {
	names := []string{
		"MESH_CATALOG_URL", "OPENAI_API_KEY", "DEEPSEEK_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY", "OPENAI_ADMIN_KEY", "ANTHROPIC_ADMIN_KEY",
		"XAI_MANAGEMENT_KEY", "XAI_TEAM_ID", "DEEPSEEK_LEGACY_ENV_PATH", "GOOGLE_CLOUD_BILLING_API_KEY", "GOOGLE_CLOUD_API_KEY",
	}
	for _, name := range names {
		t.Setenv(name, "set by the developer")
	}
	unsetEnvironment()
	for _, name := range names {
		_, set := os.LookupEnv(name)
		assert.False(t, set, name)
	}
}

// services maps each service to its path on a fakeServer.
var services = map[discovery.Service]string{
	discovery.ServiceOpenAI: "openai", discovery.ServiceDeepSeek: "deepseek", discovery.ServiceAnthropic: "anthropic",
	discovery.ServiceGemini: "gemini", discovery.ServiceCloudBilling: "cloudbilling", discovery.ServiceXAI: "xai",
	discovery.ServiceXAIManagement: "xaimanagement",
}

// fakeServer serves the catalog and every provider. The first path segment selects the
// handler. In process, a handler that panics with an error simulates a failing network.
type fakeServer struct {
	mu       sync.Mutex
	handlers map[string]http.HandlerFunc
	requests map[string]int
	failures []discovery.Failure
}

func newFakeServer(handlers map[string]http.HandlerFunc) *fakeServer {
	return &fakeServer{handlers: handlers, requests: make(map[string]int)}
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.mu.Lock()
	s.requests[name]++
	handler := s.handlers[name]
	s.mu.Unlock()
	if handler == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	handler(w, r)
}

func (s *fakeServer) set(name string, handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[name] = handler
}

// count returns how many requests a service got.
func (s *fakeServer) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[name]
}

// reasons lists the reported failures as "provider reason".
func (s *fakeServer) reasons() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, f := range s.failures {
		list = append(list, strings.TrimSpace(string(f.Provider)+" "+string(f.Reason)))
	}
	return list
}

func (s *fakeServer) record(f discovery.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, f)
}

// client returns a client that uses the server over loopback.
func (s *fakeServer) client(t *testing.T, opts ...discovery.Option) *discovery.Client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s.clientAt(server.URL, opts...)
}

// inProcess returns a client that calls the server in process, for tests in virtual time.
func (s *fakeServer) inProcess(opts ...discovery.Option) *discovery.Client {
	return s.clientAt("http://test.invalid", append([]discovery.Option{discovery.WithHTTPClient(&http.Client{Transport: transport{s}})}, opts...)...)
}

// inMemory returns a client with in-memory connections, for tests in virtual time whose
// responses break off.
func (s *fakeServer) inMemory(t *testing.T, opts ...discovery.Option) *discovery.Client {
	t.Helper()
	own := discovery.WithHTTPClient(&http.Client{Transport: nettest.Pipe(t, s)})
	return s.clientAt("http://server.test", append([]discovery.Option{own}, opts...)...)
}

func (s *fakeServer) clientAt(root string, opts ...discovery.Option) *discovery.Client {
	all := []discovery.Option{discovery.WithCatalogURL(root + "/catalog"), discovery.WithFailureHandler(s.record), discovery.WithLogger(discardLogger)}
	for service, name := range services {
		all = append(all, discovery.WithBaseURL(service, root+"/"+name))
	}
	return newClient(append(all, opts...)...)
}

// newClient panics on invalid options.
func newClient(opts ...discovery.Option) *discovery.Client {
	c, err := discovery.New(opts...)
	if err != nil {
		panic(err)
	}
	return c
}

// transport calls a handler; a panic becomes the error.
type transport struct{ http.Handler }

func (t transport) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			resp, err = nil, failure.(error)
		}
	}()
	w := httptest.NewRecorder()
	t.ServeHTTP(w, req)
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

func respond(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

func respondStatus(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func ids(models []discovery.ModelInfo) []string {
	list := []string{}
	for _, m := range models {
		list = append(list, m.ID)
	}
	return list
}

func requireValueError(t *testing.T, err error, field string) {
	t.Helper()
	var wrong *discovery.ValueError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, field, wrong.Field)
}

func ptr[T any](v T) *T { return &v }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

var thousand = prices.Usage{Input: 1_000, Output: 1_000}

func mustWith(t testing.TB, rows ...prices.Row) *prices.List {
	t.Helper()
	list, err := prices.BuiltIn().With(rows...)
	require.NoError(t, err)
	return list
}

// newTotals returns totals with the grouping that WithCalls takes.
func newTotals() *calls.Totals {
	t, err := calls.NewTotals("day", "model", "provider", "platform", "billing")
	if err != nil {
		panic(err)
	}
	return t
}

// add adds a call with an exact cost; "" means unknown.
func add(t *calls.Totals, at time.Time, p models.Provider, model string, usd prices.USD) {
	r := calls.Record{Provider: p, Model: model, Time: at, USD: usd}
	if usd == "" {
		r.Unpriced = "no price"
	}
	if err := t.Add(r); err != nil {
		panic(err)
	}
}
