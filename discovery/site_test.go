package discovery_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// TestMain takes the environment away: what a developer has exported must not decide what these tests see.
func TestMain(m *testing.M) {
	takeEnvironmentAway()
	os.Exit(m.Run())
}

// variable is the name of an environment variable as the sources of the package have it, or looks like one.
var variable = regexp.MustCompile(`"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"`)

// takeEnvironmentAway unsets whatever the package reads. It looks the names up in the sources, so that none is forgotten.
func takeEnvironmentAway() {
	sources, _ := filepath.Glob("*.go")
	for _, name := range slices.DeleteFunc(sources, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		for _, found := range variable.FindAllSubmatch(text, -1) {
			os.Unsetenv(string(found[1]))
		}
	}
}

// Not parallel: it changes the environment.
func TestNothingIsReadFromTheEnvironmentOfTheDeveloper(t *testing.T) {
	names := []string{
		"MESH_CATALOG_URL", "OPENAI_API_KEY", "DEEPSEEK_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY", "OPENAI_ADMIN_KEY", "ANTHROPIC_ADMIN_KEY",
		"XAI_MANAGEMENT_KEY", "XAI_TEAM_ID", "DEEPSEEK_LEGACY_ENV_PATH", "GOOGLE_CLOUD_BILLING_API_KEY", "GOOGLE_CLOUD_API_KEY",
	}
	for _, name := range names {
		t.Setenv(name, "of the developer")
	}
	takeEnvironmentAway()
	for _, name := range names {
		_, set := os.LookupEnv(name)
		assert.False(t, set, name)
	}
}

// services is where each service of the site is, below its root.
var services = map[discovery.Service]string{
	discovery.ServiceOpenAI: "openai", discovery.ServiceDeepSeek: "deepseek", discovery.ServiceAnthropic: "anthropic",
	discovery.ServiceGemini: "gemini", discovery.ServiceCloudBilling: "cloudbilling", discovery.ServiceXAI: "xai",
	discovery.ServiceXAIManagement: "xaimanagement",
}

// site plays the catalog and every provider. A handler is chosen by the first part of the path; it panics with an error to
// play a failing network (in process only).
type site struct {
	mu       sync.Mutex
	handlers map[string]http.HandlerFunc
	asked    map[string]int
	failures []discovery.Failure
}

func newSite(handlers map[string]http.HandlerFunc) *site {
	return &site{handlers: handlers, asked: make(map[string]int)}
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.mu.Lock()
	s.asked[name]++
	handler := s.handlers[name]
	s.mu.Unlock()
	if handler == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	handler(w, r)
}

// set changes what one service answers.
func (s *site) set(name string, handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[name] = handler
}

// count is how often a service was asked.
func (s *site) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name]
}

// reasons is what was reported so far, as "provider reason".
func (s *site) reasons() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, f := range s.failures {
		list = append(list, strings.TrimSpace(string(f.Provider)+" "+string(f.Reason)))
	}
	return list
}

func (s *site) record(f discovery.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, f)
}

// client makes a client of the site over a loopback server.
func (s *site) client(t *testing.T, opts ...discovery.Option) *discovery.Client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s.clientAt(server.URL, opts...)
}

// inProcess makes a client of the site without a network, for tests in virtual time.
func (s *site) inProcess(opts ...discovery.Option) *discovery.Client {
	return s.clientAt("http://site", append([]discovery.Option{discovery.WithHTTPClient(&http.Client{Transport: transport{s}})}, opts...)...)
}

func (s *site) clientAt(root string, opts ...discovery.Option) *discovery.Client {
	all := []discovery.Option{discovery.WithCatalogURL(root + "/catalog"), discovery.WithFailureHandler(s.record), discovery.WithLogger(quiet)}
	for service, name := range services {
		all = append(all, discovery.WithBaseURL(service, root+"/"+name))
	}
	return discovery.New(append(all, opts...)...)
}

// transport answers requests by calling a handler.
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

// says answers with a body.
func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

// refuses answers with a status and a body.
func refuses(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// ids lists what models there are.
func ids(models []discovery.ModelInfo) []string {
	list := []string{}
	for _, m := range models {
		list = append(list, m.ID)
	}
	return list
}

func valueError(t *testing.T, err error, field string) {
	t.Helper()
	var wrong *discovery.ValueError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, field, wrong.Field)
}
