// This file has the shared test server, and checks its responses against the OpenAPI
// documents.

package discoverytest_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

var keyVariables = []string{"OPENAI_API_KEY", "DEEPSEEK_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY"}

// variable matches a quoted environment variable name, or what looks like one.
var variable = regexp.MustCompile(`"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"`)

// TestMain unsets package discovery's variables, so the developer's environment doesn't
// affect the tests.
func TestMain(m *testing.M) {
	sources, _ := filepath.Glob("../*.go")
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		for _, found := range variable.FindAllSubmatch(text, -1) {
			os.Unsetenv(string(found[1]))
		}
	}
	os.Exit(m.Run())
}

var quiet = slog.New(slog.DiscardHandler)

// No secret scanner matches key.
var key = strings.Join([]string{"example", "key", "of", "these", "tests"}, ".")

// endpoint says where the document puts an operation, and which headers a valid request
// has.
type endpoint struct {
	document, base, path string
	service              discovery.Service
	keyHeader, keyPrefix string
}

var endpoints = map[discoverytest.Operation]endpoint{
	discoverytest.ListCatalog:         {"catalog", "/catalog", "/models", "", "", ""},
	discoverytest.ListOpenAIModels:    {"openai", "/openai", "/v1/models", discovery.ServiceOpenAI, "Authorization", "Bearer "},
	discoverytest.ListDeepSeekModels:  {"deepseek", "/deepseek", "/models", discovery.ServiceDeepSeek, "Authorization", "Bearer "},
	discoverytest.ListAnthropicModels: {"anthropic", "/anthropic", "/v1/models", discovery.ServiceAnthropic, "X-Api-Key", ""},
	discoverytest.ListGeminiModels:    {"gemini", "/gemini", "/v1beta/models", discovery.ServiceGemini, "X-Goog-Api-Key", ""},
	discoverytest.ListXAIModels:       {"xai", "/xai", "/v1/models", discovery.ServiceXAI, "Authorization", "Bearer "},

	discoverytest.ListXAILanguageModels: {"xai", "/xai", "/v1/language-models", discovery.ServiceXAI, "Authorization", "Bearer "},

	discoverytest.CloudBillingListSKUs: {"cloudbilling", "/cloudbilling", "/v1/services/AEFD-7695-64FA/skus", discovery.ServiceCloudBilling, "X-Goog-Api-Key", ""},
}

// Checkers are created once: checking the documents' examples takes a while.
var checkers = sync.OnceValues(func() (map[string]*contract.Checker, error) {
	all := make(map[string]*contract.Checker)
	for _, e := range endpoints {
		checker, err := contract.New(e.document)
		if err != nil {
			return nil, err
		}
		all[e.document] = checker
	}
	return all, nil
})

// testServer is a server, and a client with its own connections.
type testServer struct {
	*discoverytest.Server
	t        *testing.T
	http     *http.Client
	checkers map[string]*contract.Checker
}

func start(t *testing.T, opts ...discoverytest.Option) *testServer {
	t.Helper()
	all, err := checkers()
	require.NoError(t, err)
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	return &testServer{Server: discoverytest.New(t, opts...), t: t, http: &http.Client{Transport: transport}, checkers: all}
}

// request returns a valid request. A header value of "" removes the header.
func (s *testServer) request(ctx context.Context, op discoverytest.Operation, query string, headers ...string) *http.Request {
	s.t.Helper()
	e := endpoints[op]
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+e.base+e.path+query, nil)
	require.NoError(s.t, err)
	if e.keyHeader != "" {
		req.Header.Set(e.keyHeader, e.keyPrefix+key)
	}
	if op == discoverytest.ListAnthropicModels {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	return req
}

// exchange sends a request and checks the response against the document. The returned
// error is about the request.
func (s *testServer) exchange(op discoverytest.Operation, query string, headers ...string) (nettest.Reply, error) {
	s.t.Helper()
	r, wrongRequest, wrongResponse := s.validate(op, query, headers...)
	assert.NoError(s.t, wrongResponse)
	return r, wrongRequest
}

func (s *testServer) validate(op discoverytest.Operation, query string, headers ...string) (r nettest.Reply, request, response error) {
	s.t.Helper()
	req := s.request(s.t.Context(), op, query, headers...)
	r, err := nettest.Get(s.http, req)
	require.NoError(s.t, err)
	e := contract.Exchange{Request: req.Clone(s.t.Context()), Status: r.Status, Header: r.Header, ResponseBody: []byte(r.Body)}
	e.Request.URL.Path = endpoints[op].path
	checker := s.checkers[endpoints[op].document]
	return r, checker.Request(e), checker.Response(e)
}

// call is exchange for a valid request.
func (s *testServer) call(op discoverytest.Operation, query string, headers ...string) nettest.Reply {
	s.t.Helper()
	r, err := s.exchange(op, query, headers...)
	assert.NoError(s.t, err)
	return r
}

// callInvalid is exchange for a request that must violate the document.
func (s *testServer) callInvalid(op discoverytest.Operation, query string, headers ...string) nettest.Reply {
	s.t.Helper()
	r, err := s.exchange(op, query, headers...)
	assert.Error(s.t, err)
	return r
}

func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, time.Hour, time.Millisecond)
}

// withField returns the rows that have a field, even if it's null.
func withField(rows []map[string]any, name string) []map[string]any {
	found := []map[string]any{}
	for _, row := range rows {
		if _, has := row[name]; has {
			found = append(found, row)
		}
	}
	return found
}

// notNull returns a field's values where it's present and not null.
func notNull(rows []map[string]any, name string) []any {
	found := []any{}
	for _, value := range nettest.Column(rows, name) {
		if value != nil {
			found = append(found, value)
		}
	}
	return found
}

// Documents decide which responses are valid, so these checks must be able to fail.
func TestCheckerFindsInvalidResponses(t *testing.T) {
	t.Parallel()
	for op, body := range map[discoverytest.Operation]string{
		discoverytest.ListCatalog:         `{"data":[{"id":null}]}`,
		discoverytest.ListOpenAIModels:    `{"data":[{"created":1}]}`,
		discoverytest.ListDeepSeekModels:  `{"data":[{"id":"a","context_window":"many"}]}`,
		discoverytest.ListAnthropicModels: `{"data":[],"has_more":"no"}`,
		discoverytest.ListGeminiModels:    `{"models":[{"displayName":"nameless"}]}`,
		discoverytest.ListXAIModels:       `{"data":[{"id":"a","aliases":"b"}]}`,

		discoverytest.ListXAILanguageModels: `{"models":[{"id":"a","prompt_text_token_price":"3"}]}`,
	} {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Fail(op, discoverytest.Fault{Header: map[string][]string{"Content-Type": {"application/json"}}, Body: body})
			_, request, response := s.validate(op, "")
			assert.NoError(t, request)
			assert.Error(t, response)
			assert.Equal(t, 200, s.call(op, "").Status)
		})
	}
}
