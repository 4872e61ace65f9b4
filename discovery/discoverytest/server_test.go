package discoverytest_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/test/reply"
)

// RoundTrip implements http.RoundTripper. It checks every exchange of a client against the document of its service.
func (s *testServer) RoundTrip(req *http.Request) (*http.Response, error) {
	document, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	checker := s.checkers[document]
	if checker == nil {
		return nil, fmt.Errorf("no operation at %s", req.URL.Path)
	}
	report := func(err error) { s.t.Error(err) }
	return checker.Transport(s.http.Transport, "/"+document, report).RoundTrip(req)
}

// client makes a client of the server, and a list of what it reports.
func (s *testServer) client(more ...discovery.Option) (*discovery.Client, func() []string) {
	var mu sync.Mutex
	var reasons []string
	note := func(f discovery.Failure) {
		mu.Lock()
		defer mu.Unlock()
		reasons = append(reasons, strings.TrimSpace(string(f.Provider)+" "+string(f.Reason)))
	}
	own := []discovery.Option{
		discovery.WithHTTPClient(&http.Client{Transport: s}), discovery.WithFailureHandler(note), discovery.WithLogger(quiet),
	}
	c, err := discovery.New(slices.Concat(s.Options(), own, more)...)
	if err != nil {
		panic(err)
	}
	return c, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return reasons
	}
}

func setKeys(t *testing.T) {
	t.Helper()
	for _, name := range keyVariables {
		t.Setenv(name, key)
	}
}

func list(t *testing.T, c *discovery.Client, opts discovery.CatalogOptions) []discovery.ModelInfo {
	t.Helper()
	list, err := c.ListModels(t.Context(), opts)
	require.NoError(t, err)
	return list
}

func TestClientReadsTheCatalogAndHandles304(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, reasons := s.client()
	assert.Len(t, list(t, c, discovery.CatalogOptions{}), 108, "one id is listed twice")
	assert.Len(t, list(t, c, discovery.CatalogOptions{Refresh: true}), 108)
	s.SetCatalog(raw(`{"id":"a","info":{"developer":"Open AI"}}`)...)
	assert.Len(t, list(t, c, discovery.CatalogOptions{Refresh: true}), 1)
	var tags []bool
	for _, r := range s.Requests(catalog) {
		tags = append(tags, r.Header.Get("If-None-Match") != "")
	}
	assert.Equal(t, []bool{false, true, true}, tags)
	assert.Empty(t, reasons())
}

// Not parallel: the keys are in the environment.
func TestClientFallsBackToEveryProvider(t *testing.T) {
	setKeys(t)
	s := start(t, discoverytest.WithPageSize(4))
	s.Fail(catalog, discoverytest.Fault{Status: 503})
	c, reasons := s.client()
	bySource := map[string]int{}
	for _, m := range list(t, c, discovery.CatalogOptions{}) {
		bySource[m.Source]++
	}
	assert.Equal(t, map[string]int{"openai": 13, "deepseek": 4, "anthropic": 17, "gemini": 15, "xai": 7}, bySource)
	assert.Equal(t, []string{"status"}, reasons(), "of the catalog alone")
	assert.Len(t, s.Requests(anthropic), 5)
	assert.Len(t, s.Requests(gemini), 4)
	for _, r := range s.Requests() {
		assert.Empty(t, r.QueryKeys)
	}
}

func TestRejectedKeysAreReported(t *testing.T) {
	t.Parallel()
	keys := map[discovery.Service]string{}
	var others []discovery.Option
	for _, e := range endpoints {
		if e.service != "" {
			keys[e.service] = wrongKey
			others = append(others, discovery.WithKey(e.service, func(context.Context) (string, error) { return key, nil }))
		}
	}
	s := start(t, discoverytest.WithKeys(keys))
	s.Fail(catalog, discoverytest.Fault{Status: 503})
	c, reasons := s.client(others...)
	assert.Empty(t, list(t, c, discovery.CatalogOptions{}))
	assert.Subset(t, reasons(), []string{"openai denied", "deepseek denied", "anthropic denied", "gemini denied"})
	assert.Len(t, reasons(), 6)
}

// Not parallel: the keys are in the environment.
func TestClientReadsLiveRetirements(t *testing.T) {
	setKeys(t)
	s := start(t)
	c, reasons := s.client()
	live, err := c.Retirements(t.Context())
	require.NoError(t, err)
	assert.Empty(t, reasons())
	assert.Equal(t, "2027-04-01", live[models.ModelKey{Provider: models.OpenAI, ID: "gpt-5.1"}])
	assert.Contains(t, live, models.ModelKey{Provider: models.Anthropic, ID: "claude-2.1"})
	require.Len(t, s.Requests(anthropic), 1)
	assert.Equal(t, []string{"active", "deprecated", "retired"}, s.Requests(anthropic)[0].Query["lifecycle[]"])
}

// Not parallel: it counts goroutines.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	s := start(t)
	for op := range endpoints {
		s.call(op, "")
	}
	s.Fail(catalog, discoverytest.Fault{Delay: time.Hour, Times: -1})
	s.Fail(gemini, discoverytest.Fault{HangUp: true, Body: "{"})
	s.status(gemini)
	ctx, leave := context.WithCancel(t.Context())
	left, closed := make(chan error, 1), make(chan error, 1)
	for done, ctx := range map[chan error]context.Context{left: ctx, closed: t.Context()} {
		req := s.request(ctx, catalog, "")
		go func() { _, err := reply.Get(s.http, req); done <- err }()
	}
	const waiting = "testserver.(*Server[...]).wait"
	eventually(t, func() bool { return reply.Goroutines(waiting) == 2 })
	leave()
	require.ErrorIs(t, <-left, context.Canceled)
	eventually(t, func() bool { return reply.Goroutines(waiting) == 1 })

	s.Close()
	s.Close() // as the cleanup of New will
	require.Error(t, <-closed)
	for _, function := range []string{"testserver.(*Server", "discoverytest.(*Server", "net/http.(*conn).serve", "net/http.(*Server).Serve(", "httptest."} {
		eventually(t, func() bool { return reply.Goroutines(function) == 0 })
	}
	_, err := reply.Get(s.http, s.request(t.Context(), catalog, ""))
	require.Error(t, err, "the server is closed")
}
