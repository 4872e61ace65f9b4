package discoverytest_test

import (
	"context"
	"fmt"
	"io"
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
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// RoundTrip checks every client exchange against its service's document.
func (s *testServer) RoundTrip(req *http.Request) (*http.Response, error) {
	document, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	checker := s.checkers[document]
	if checker == nil {
		return nil, fmt.Errorf("no operation at %s", req.URL.Path)
	}
	report := func(err error) { s.t.Error(err) }
	return checker.Transport(s.http.Transport, "/"+document, report).RoundTrip(req)
}

// client returns a client for the server, and a function that lists the reported
// failures.
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
	date, _ := live.RetirementDate(models.OpenAI, "gpt-5.1")
	assert.Equal(t, "2027-04-01", date)
	_, ok := live.RetirementDate(models.Anthropic, "claude-2.1")
	assert.True(t, ok)
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
		go func() { _, err := nettest.Get(s.http, req); done <- err }()
	}
	const waiting = "testserver.(*Server[...]).wait"
	eventually(t, func() bool { return nettest.Goroutines(waiting) == 2 })
	leave()
	require.ErrorIs(t, <-left, context.Canceled)
	eventually(t, func() bool { return nettest.Goroutines(waiting) == 1 })

	s.Close()
	s.Close() // like New's cleanup
	require.Error(t, <-closed)
	for _, function := range []string{"testserver.(*Server", "discoverytest.(*Server", "net/http.(*conn).serve", "net/http.(*Server).Serve(", "httptest."} {
		eventually(t, func() bool { return nettest.Goroutines(function) == 0 })
	}
	_, err := nettest.Get(s.http, s.request(t.Context(), catalog, ""))
	require.Error(t, err, "the server is closed")
}

func TestInvalidOptionsPanic(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]func() discoverytest.Option{
		"no such service": func() discoverytest.Option {
			return discoverytest.WithKeys(map[discovery.Service]string{"open-ai": key})
		},
		"page of nothing": func() discoverytest.Option { return discoverytest.WithPageSize(0) },
	} {
		assert.Panics(t, func() { discoverytest.Start(option()) }, name)
	}
	s := start(t, discoverytest.WithKeys(map[discovery.Service]string{discovery.ServiceXAI: ""}))
	assert.Equal(t, 400, s.call(discoverytest.ListXAIModels, "").Status, "an empty key is rejected")
}

func TestNilOptionIsIgnored(t *testing.T) {
	t.Parallel()
	assert.NotEmpty(t, discoverytest.New(t, nil).URL)
}

// Keys from WithKeys reach the client without the environment, so tests can run in
// parallel.
func TestOptionsContainTheKeys(t *testing.T) {
	t.Parallel()
	s := start(t, discoverytest.WithKeys(map[discovery.Service]string{
		discovery.ServiceOpenAI: key, discovery.ServiceOpenAIAdmin: "admin-" + key, discovery.ServiceAnthropic: key,
		discovery.ServiceAnthropicAdmin: "anthropic-admin-" + key, discovery.ServiceCloudBilling: "billing-" + key,
	}))
	c, reasons := s.client()
	days, err := c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: 1730419200, EndTime: 1730419200 + 86400})
	require.NoError(t, err)
	assert.Len(t, days, 1)
	prices, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{})
	require.NoError(t, err)
	assert.Len(t, prices, 46)
	assert.Empty(t, reasons())
	requests := s.Requests(discoverytest.ListOpenAICosts)
	require.Len(t, requests, 1)
	assert.Equal(t, "admin-"+key, requests[0].Keys["Authorization"].Reveal())
	_, err = c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: 1730419200, AdminKey: discovery.NewSecret(key)})
	require.NoError(t, err)
	day := discovery.AnthropicCostQuery{Start: time.Unix(1777593600, 0), End: time.Unix(1777593600+86400, 0)}
	days, err = c.FetchAnthropicCostBuckets(t.Context(), day)
	require.NoError(t, err)
	assert.Len(t, days, 1)
	day.AdminKey = discovery.NewSecret(key)
	_, err = c.FetchAnthropicCostBuckets(t.Context(), day)
	require.NoError(t, err)
	assert.Equal(t, []string{"openai denied", "anthropic denied"}, reasons(), "the model key is not the admin key")
}

// Options redirect even a service that has no operations here yet: no client may reach
// the real one.
func TestOptionsCoverEveryService(t *testing.T) {
	t.Parallel()
	assert.Len(t, start(t).Options(), 9, "the catalog, the price table and seven services")
}

func TestListen(t *testing.T) {
	t.Parallel()
	s, err := discoverytest.Listen(discoverytest.WithAddr("127.0.0.1:0"), discoverytest.WithoutRequestLog())
	require.NoError(t, err)
	defer s.Close()
	c, err := discovery.New(s.Options()...)
	require.NoError(t, err)
	models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.NotEmpty(t, models)
	assert.Empty(t, s.Requests(), "WithoutRequestLog")

	addr := strings.TrimPrefix(s.URL, "http://")
	_, err = discoverytest.Listen(discoverytest.WithAddr(addr))
	require.Error(t, err, "the port is taken")
	assert.Panics(t, func() { discoverytest.Start(discoverytest.WithAddr(addr)) })
}

func TestFailIf(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	s.FailIf(func(r discoverytest.Request) *discoverytest.Fault {
		if r.Operation == discoverytest.ListCatalog {
			return &discoverytest.Fault{Status: 503}
		}
		return nil
	})
	status := func(path string) int {
		resp, err := http.Get(s.URL + path)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	assert.Equal(t, []int{503, 503, 200}, []int{status("/catalog/models"), status("/catalog/models"), status("/facts/facts-1.txt")})
	s.Heal()
	assert.Equal(t, 200, status("/catalog/models"))
}

// status sends a valid request and returns the response status, or 0 if there was no
// response.
func (s *testServer) status(op discoverytest.Operation) int {
	r, _ := nettest.Get(s.http, s.request(s.t.Context(), op, ""))
	return r.Status
}

func TestFaultAffectsOneOperation(t *testing.T) {
	t.Parallel()
	for op := range endpoints {
		s := start(t)
		s.Fail(op, discoverytest.Fault{Status: 503, Times: 2})
		s.Fail(op, discoverytest.Fault{HangUp: true})
		s.Fail(op, discoverytest.Fault{Status: 429, Times: -1})
		for other := range endpoints {
			if other != op {
				assert.Equal(t, 200, s.status(other), "%s while %s fails", other, op)
			}
		}
		assert.Equal(t, []int{503, 503, 0, 429, 429}, []int{s.status(op), s.status(op), s.status(op), s.status(op), s.status(op)})
		s.Heal()
		assert.Equal(t, 200, s.status(op))
	}
}

func TestFaultOfUnknownOperationPanics(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Panics(t, func() { s.Fail("openai.listModel", discoverytest.Fault{Status: 503}) })
	for _, op := range []discoverytest.Operation{discoverytest.GetDeepSeekBalance, discoverytest.ListOpenAICosts, discoverytest.ListAnthropicCosts, discoverytest.ListAnthropicUsage, discoverytest.GetXAIUsage} {
		assert.NotPanics(t, func() { s.Fail(op, discoverytest.Fault{Status: 503}) }, op)
	}
	for op := range endpoints {
		assert.NotPanics(t, func() { s.Fail(op, discoverytest.Fault{Status: 503}) }, op)
	}
}

func TestFaultDeterminesTheResponse(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(gemini, discoverytest.Fault{Status: 429, Header: http.Header{"Retry-After": {"7"}}, Body: "slow down"})
	r, err := nettest.Get(s.http, s.request(t.Context(), gemini, "", "X-Goog-Api-Key", ""))
	require.NoError(t, err)
	assert.Equal(t, 429, r.Status, "before the key is checked")
	assert.Equal(t, "7", r.Header.Get("Retry-After"))
	assert.Equal(t, "slow down", r.Body)

	s.Fail(gemini, discoverytest.Fault{HangUp: true, Body: `{"models":[`})
	r, err = nettest.Get(s.http, s.request(t.Context(), gemini, ""))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, `{"models":[`, r.Body)

	s.Fail(gemini, discoverytest.Fault{Status: 500, AfterEffect: true})
	assert.Equal(t, 500, s.status(gemini), "AfterEffect changes nothing")
}

func TestDelayAloneKeepsTheUsualResponse(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(catalog, discoverytest.Fault{Delay: 20 * time.Millisecond})
	begin := time.Now()
	assert.Equal(t, 200, s.call(catalog, "").Status)
	assert.GreaterOrEqual(t, time.Since(begin), 20*time.Millisecond)
}
