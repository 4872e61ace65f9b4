package proxy_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const (
	key        = "the-key-of-the-program"
	chat       = `{"model":"gpt-4o","messages":[]}`
	chatAnswer = `{"id":"c","model":"gpt-4o","choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}`
)

// started is a running proxy and its records.
type started struct {
	*proxy.Proxy
	base   string // OpenAI's
	errs   *strings.Builder
	meters *proxy.Meters

	mu      sync.Mutex
	records []calls.Record
}

// start starts a proxy in front of handler. In flags, %s is the handler's URL.
func start(t *testing.T, handler http.HandlerFunc, flags []string, opts ...meter.Option) *started {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	for i := range flags {
		flags[i] = fmt.Sprintf(flags[i], server.URL)
	}
	upstreams, err := proxy.Upstreams(flags, nil, func(string) string { return "" })
	require.NoError(t, err)
	s := &started{errs: &strings.Builder{}}
	s.meters, err = proxy.NewMeters(prices.BuiltIn(), upstreams, s.record, opts...)
	require.NoError(t, err)
	s.Proxy, err = proxy.Start(t.Context(), proxy.Config{Meters: s.meters, Upstreams: upstreams, Labels: map[string]string{"job": "j"}, Errs: s.errs})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	s.base = variable(s.Environment(nil), "OPENAI_BASE_URL")
	return s
}

func (s *started) record(r calls.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r)
}

func variable(env []string, name string) (value string) {
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

// do sends a request with a key. headers are "Name: value".
func do(t *testing.T, method, url, body string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := new(http.Transport).RoundTrip(req)
	require.NoError(t, err)
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func textOf(t *testing.T, res *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(text)
}

func TestRequestsReachTheUpstreamUnchanged(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body string
	p := start(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = r, string(text)
		w.Header().Set("X-Request-Id", "req_1")
		_, _ = io.WriteString(w, chatAnswer)
	}, []string{"openai=%s/base%%2Fpath/v1"})
	res := do(t, http.MethodPost, p.base+"//chat/completions?a=1;b&c=%2F", chat, "Accept-Encoding: br", "User-Agent: program/1", "X-Forwarded-For: 10.0.0.1", "X-Other: o")
	assert.Equal(t, chatAnswer, textOf(t, res))
	assert.Equal(t, "req_1", res.Header.Get("X-Request-Id"))
	assert.Equal(t, "/base%2Fpath/v1//chat/completions?a=1;b&c=%2F", got.RequestURI)
	assert.Equal(t, chat, body)
	assert.Equal(t, "Bearer "+key, got.Header.Get("Authorization"))
	assert.Equal(t, "program/1", got.UserAgent())
	assert.Equal(t, "o", got.Header.Get("X-Other"))
	assert.NotContains(t, got.Host, "upstream")
	assert.Equal(t, "gzip", got.Header.Get("Accept-Encoding"), "from the transport, which unpacks it")
	assert.Empty(t, got.Header.Values("X-Forwarded-Host"))
	require.Len(t, p.records, 1)
	assert.Equal(t, map[string]string{"job": "j"}, p.records[0].Labels)
	assert.Equal(t, "/v1//chat/completions", p.records[0].Path, "without the query, the secret path and the base path")
	assert.EqualValues(t, "0.0075", p.records[0].USD)
	assert.Empty(t, p.errs.String())
}

func TestCompressedResponsesAreCountedAndUnpacked(t *testing.T) {
	t.Parallel()
	p := start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		_, _ = io.WriteString(packed, chatAnswer)
		_ = packed.Close()
	}, []string{"openai=%s/v1"})
	res := do(t, http.MethodPost, p.base+"/chat/completions", chat, "Accept-Encoding: gzip, deflate")
	assert.Equal(t, chatAnswer, textOf(t, res))
	assert.Empty(t, res.Header.Get("Content-Encoding"))
	require.Len(t, p.records, 1)
	assert.EqualValues(t, "0.0075", p.records[0].USD)
}

func TestStreamsArePassedOnWithoutDelay(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	p := start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"n\":%d}\n\n", i)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	}, []string{"openai=%s/v1"})
	events := bufio.NewScanner(do(t, http.MethodPost, p.base+"/chat/completions", chat).Body)
	for i := range 3 {
		require.True(t, events.Scan())
		assert.Equal(t, fmt.Sprintf(`data: {"id":"c","n":%d}`, i), events.Text())
		require.True(t, events.Scan())
		next <- struct{}{}
	}
	assert.False(t, events.Scan())
}

func TestUpgrades(t *testing.T) {
	t.Parallel()
	p := start(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get("Upgrade"))
		_, _ = io.WriteString(w, chatAnswer)
	}, []string{"openai=%s/v1"})
	res := do(t, http.MethodGet, p.base+"/realtime?model=m", "", "Connection: Upgrade", "Upgrade: websocket")
	assert.Equal(t, http.StatusUpgradeRequired, res.StatusCode)
	res = do(t, http.MethodPost, p.base+"/chat/completions", chat, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AA")
	assert.Equal(t, chatAnswer, textOf(t, res), "the client continues with HTTP/1.1")
	assert.Len(t, p.records, 1)
}

func TestOnlyTheSecretPathIsServed(t *testing.T) {
	t.Parallel()
	p := start(t, func(http.ResponseWriter, *http.Request) { t.Error("the request was forwarded") }, []string{"openai=%s"})
	u, err := url.Parse(p.base)
	require.NoError(t, err)
	for _, path := range []string{"/", "/openai/v1/models", "/v1/models", u.Path, "/" + strings.Repeat("A", 26) + "/openai/v1/models"} {
		res := do(t, http.MethodGet, "http://"+u.Host+path, "")
		assert.Equal(t, http.StatusNotFound, res.StatusCode, path)
	}
}

// Each API has its own provider, even if one host serves them all.
func TestOneHostMayHaveTheAPIsOfSeveralProviders(t *testing.T) {
	t.Parallel()
	p := start(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":"m","model":"claude-sonnet-5","usage":{"input_tokens":1000,"output_tokens":500}}`)
	}, []string{"openai=%s/v1", "anthropic=%s", "gemini=%s"})
	base := variable(p.Environment(nil), "ANTHROPIC_BASE_URL")
	textOf(t, do(t, http.MethodPost, base+"/v1/messages", `{"model":"claude-sonnet-5"}`))
	require.Len(t, p.records, 1)
	assert.Equal(t, models.Anthropic, p.records[0].Provider)
	assert.NotEmpty(t, p.records[0].USD)
}

func TestErrorsOfTheUpstreamShowNoKey(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() { // the response isn't HTTP and contains the key
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			fmt.Fprintf(conn, "HTTP/1.1 %s\r\n\r\n", key)
			conn.Close()
		}
	}()
	for _, upstream := range []string{"http://127.0.0.1:1", "http://" + listener.Addr().String()} {
		p := start(t, nil, []string{"openai=" + upstream + "/v1%.0s"})
		res := do(t, http.MethodPost, p.base+"/chat/completions?key="+key, chat)
		assert.Equal(t, http.StatusBadGateway, res.StatusCode)
		assert.NotContains(t, textOf(t, res), key)
		require.NoError(t, p.Close())
		assert.Contains(t, p.errs.String(), "mesh: meter: POST 127.0.0.1:")
		assert.NotContains(t, p.errs.String(), key)
	}
}

// Close ends running calls and waits for their records.
func TestCloseRecordsTheCallsThatRun(t *testing.T) {
	t.Parallel()
	p := start(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, []string{"openai=%s/v1"})
	_, err := do(t, http.MethodPost, p.base+"/chat/completions", chat).Body.Read(make([]byte, 10))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.Len(t, p.records, 1)
	assert.NotEmpty(t, p.records[0].Unpriced)
	assert.Empty(t, p.errs.String(), "a program's end isn't an error")
}

func TestRefusalsEndLikeOtherResponses(t *testing.T) {
	t.Parallel()
	p := start(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, chatAnswer) }, []string{"openai=%s/v1"},
		meter.WithBudget(meter.Budget{USD: "0.001"}))
	textOf(t, do(t, http.MethodPost, p.base+"/chat/completions", chat))
	res := do(t, http.MethodPost, p.base+"/chat/completions", chat)
	text := textOf(t, res)
	assert.Equal(t, http.StatusPaymentRequired, res.StatusCode)
	assert.Equal(t, "false", res.Header.Get("X-Should-Retry"))
	assert.EqualValues(t, len(text), res.ContentLength)
	assert.Contains(t, text, "the budget of 0.001 USD refuses the call")
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	p := start(t, nil, nil)
	for want, env := range map[string][]string{
		"127.0.0.1":     nil,
		"a,127.0.0.1":   {"NO_PROXY=a"},
		"b,127.0.0.1":   {"no_proxy=b"},
		"a,b,127.0.0.1": {"NO_PROXY=a", "no_proxy=b"},
		"c,127.0.0.1":   {"NO_PROXY=c", "no_proxy=c"},
		"*":             {"NO_PROXY=*"},
	} {
		got := p.Environment(env)
		assert.Equal(t, want, variable(got, "NO_PROXY"), env)
		assert.Equal(t, want, variable(got, "no_proxy"), env)
	}
	assert.Contains(t, p.Environment([]string{"HOME=/home/me"}), "HOME=/home/me")
}
