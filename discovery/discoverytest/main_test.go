// This file has the server that the tests share, and the checks of what it sends against the documents.

package discoverytest_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

var keyVariables = []string{"OPENAI_API_KEY", "DEEPSEEK_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY"}

// variable is the name of an environment variable as sources have it, or looks like one.
var variable = regexp.MustCompile(`"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"`)

// TestMain unsets the variables of package discovery, so that the developer's environment does not affect the tests.
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

// key is the key of these tests. No scanner takes it for a secret.
var key = strings.Join([]string{"example", "key", "of", "these", "tests"}, ".")

// endpoint is where an operation is, as its document has it, and which headers a good request has.
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

// checkers are read once: checking the examples of the documents takes a while.
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

// testServer is a server and a client of it with connections of its own.
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
	return &testServer{Server: discoverytest.New(t, opts...), t: t, http: &http.Client{Transport: transport, Timeout: time.Minute}, checkers: all}
}

// reply is an answer as the client sees it.
type reply struct {
	status int
	header http.Header
	body   string
}

// object returns the body as an object, with its numbers exact.
func (r reply) object(t *testing.T) map[string]any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(r.body))
	dec.UseNumber()
	var object map[string]any
	require.NoError(t, dec.Decode(&object), r.body)
	return object
}

// rows returns a list of the body.
func (r reply) rows(t *testing.T, name string) []map[string]any {
	t.Helper()
	list, ok := r.object(t)[name].([]any)
	require.True(t, ok, r.body)
	rows := make([]map[string]any, 0, len(list))
	for _, row := range list {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

// column returns one field of every row.
func column(rows []map[string]any, name string) []any {
	all := []any{}
	for _, row := range rows {
		all = append(all, row[name])
	}
	return all
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

// faulty sends a request and does not check the response against the document.
func (s *testServer) faulty(req *http.Request) (reply, error) {
	resp, err := s.http.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{status: resp.StatusCode, header: resp.Header, body: string(text)}, err
}

// exchange sends a request and checks the response against the document. The error is that of the request.
func (s *testServer) exchange(op discoverytest.Operation, query string, headers ...string) (reply, error) {
	s.t.Helper()
	r, wrongRequest, wrongResponse := s.validate(op, query, headers...)
	assert.NoError(s.t, wrongResponse)
	return r, wrongRequest
}

func (s *testServer) validate(op discoverytest.Operation, query string, headers ...string) (r reply, request, response error) {
	s.t.Helper()
	req := s.request(s.t.Context(), op, query, headers...)
	r, err := s.faulty(req)
	require.NoError(s.t, err)
	e := contract.Exchange{Request: req.Clone(s.t.Context()), Status: r.status, Header: r.header, ResponseBody: []byte(r.body)}
	e.Request.URL.Path = endpoints[op].path
	checker := s.checkers[endpoints[op].document]
	return r, checker.Request(e), checker.Response(e)
}

// call is exchange for a request that must be valid.
func (s *testServer) call(op discoverytest.Operation, query string, headers ...string) reply {
	s.t.Helper()
	r, err := s.exchange(op, query, headers...)
	assert.NoError(s.t, err)
	return r
}

// callInvalid is exchange for a request that does not conform to the document.
func (s *testServer) callInvalid(op discoverytest.Operation, query string, headers ...string) reply {
	s.t.Helper()
	r, err := s.exchange(op, query, headers...)
	assert.Error(s.t, err)
	return r
}

// eventually waits for a condition that depends on another goroutine.
func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, time.Minute, time.Millisecond)
}

// goroutines returns the number of goroutines in a function.
func goroutines(function string) int {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	n := 0
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(stack, function) {
			n++
		}
	}
	return n
}

// withField returns the rows that have a field, also null.
func withField(rows []map[string]any, name string) []map[string]any {
	found := []map[string]any{}
	for _, row := range rows {
		if _, has := row[name]; has {
			found = append(found, row)
		}
	}
	return found
}

// notNull returns the values of a field that are there and not null.
func notNull(rows []map[string]any, name string) []any {
	found := []any{}
	for _, value := range column(rows, name) {
		if value != nil {
			found = append(found, value)
		}
	}
	return found
}

// The documents decide what a good answer is: these checks must be able to fail.
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
			assert.Equal(t, 200, s.call(op, "").status)
		})
	}
}

// Users of this package build what it imports, so the tools of our own tests must not be among it.
func TestPackageDoesNotImportTestTools(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").CombinedOutput()
	require.NoError(t, err, string(out))
	for _, unwanted := range []string{
		"stretchr/testify", "getkin/kin-openapi", "yaml", "mesh-go/specs", "mesh-go/internal/test/contract", "mesh-go/client", "mesh-go/scan",
	} {
		assert.NotContains(t, string(out), unwanted)
	}
	assert.Contains(t, string(out), "mesh-go/discovery\n", "the look can find what is there")
}
