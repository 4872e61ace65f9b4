package discovery_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Every provider failure gives an empty value, no error, and one Failure with its reason.
func TestReasonsOfFailures(t *testing.T) {
	t.Setenv("DEEPSEEK_API_KEY", keys["DEEPSEEK_API_KEY"])
	for name, row := range map[string]struct {
		handler http.HandlerFunc
		reason  discovery.Reason
		status  int
	}{
		"400":       {respondStatus(400, "bad"), discovery.ReasonStatus, 400},
		"401":       {respondStatus(401, "{}"), discovery.ReasonDenied, 401},
		"402":       {respondStatus(402, "{}"), discovery.ReasonStatus, 402},
		"403":       {respondStatus(403, "<html>"), discovery.ReasonDenied, 403},
		"404":       {respondStatus(404, ""), discovery.ReasonStatus, 404},
		"429":       {respondStatus(429, ""), discovery.ReasonRateLimited, 429},
		"500":       {respondStatus(500, "oops"), discovery.ReasonStatus, 500},
		"redirect":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, discovery.ReasonStatus, 302},
		"html":      {respond("<html>hello</html>"), discovery.ReasonDecode, 200},
		"empty":     {respond(""), discovery.ReasonDecode, 200},
		"null":      {respond("null"), discovery.ReasonDecode, 200},
		"truncated": {respond(`{"data":[{"id":"a"}`), discovery.ReasonDecode, 200},
		"no data":   {respond(`{"object":"list"}`), discovery.ReasonDecode, 200},
		"bad row":   {respond(`{"data":[{"id":7}]}`), discovery.ReasonDecode, 200},
		"trailing":  {respond(`{"data":[]} {}`), discovery.ReasonDecode, 200},
		"too large": {respond(`{"data":[]` + strings.Repeat(" ", 70_000) + `}`), discovery.ReasonTooLarge, 200},
		"gzip bomb": {gzipBomb, discovery.ReasonTooLarge, 200},
		"half body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"data":`))
		}, discovery.ReasonNetwork, 200},
		"hang-up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, discovery.ReasonNetwork, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer(map[string]http.HandlerFunc{"catalog": respondStatus(500, ""), "deepseek": row.handler})
			list, err := s.client(t, discovery.WithMaxResponseBytes(64_000)).ListModels(t.Context(), discovery.CatalogOptions{})
			require.NoError(t, err)
			assert.Equal(t, []discovery.ModelInfo{}, list)
			require.Len(t, s.failures, 2)
			f := s.failures[1]
			assert.Equal(t, row.reason, f.Reason)
			assert.Equal(t, row.status, f.StatusCode)
			assert.Equal(t, models.DeepSeek, f.Provider)
			assert.Equal(t, "ListModels", f.Operation)
			assert.Error(t, f.Err)
		})
	}
}

func gzipBomb(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(tenMegabytes())
}

// tenMegabytes returns 10 MB of spaces, compressed. With the race detector, compressing
// takes seconds on a slow machine.
var tenMegabytes = sync.OnceValue(func() []byte {
	var compressed bytes.Buffer
	zip := gzip.NewWriter(&compressed)
	_, _ = zip.Write(bytes.Repeat([]byte(" "), 10<<20))
	_ = zip.Close()
	return compressed.Bytes()
})

func TestInvalidKeyWithStatus400IsDenied(t *testing.T) {
	setKeys(t)
	for body, want := range map[string]map[string]string{
		`{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`: {"gemini": "denied", "xai": "status"},
		`{"error":{"code":400,"message":"Bad.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`:   {"gemini": "denied"},
		`{"error":{"code":400,"message":"pageSize","status":"INVALID_ARGUMENT"}}`:                                        {"gemini": "status"},
		`{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***yz."}`:                 {"xai": "denied", "gemini": "status"},
	} {
		for name, reason := range want {
			s := providerServer(respondStatus(500, ""))
			s.set(name, respondStatus(400, body))
			_, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{})
			require.NoError(t, err)
			assert.Equal(t, []string{"status", name + " " + reason}, s.reasons())
		}
	}
}

func TestFailureHasRetryAfter(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"catalog": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "17")
		w.WriteHeader(429)
	}})
	_, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, 17*time.Second, s.failures[0].RetryAfter)
	assert.Equal(t, discovery.ReasonRateLimited, s.failures[0].Reason)
	assert.Equal(t, models.Provider(""), s.failures[0].Provider)
}

// Failures contain no key, even if a provider or the transport returns it.
func TestNoFailureShowsAKey(t *testing.T) {
	setKeys(t)
	var log bytes.Buffer
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"bad key %s %s %s"}}`, r.Header.Get("Authorization"), r.Header.Get("x-api-key"), r.Header.Get("x-goog-api-key"))
		}
	}
	dump := func(_ http.ResponseWriter, r *http.Request) {
		panic(fmt.Errorf("cannot send %v: %w", r.Header, context.Canceled))
	}
	for _, handler := range []http.HandlerFunc{echo(200), echo(302), echo(400), echo(401), echo(429), echo(500), dump} {
		s := newFakeServer(map[string]http.HandlerFunc{
			"catalog": respondStatus(500, ""), "openai": handler, "deepseek": handler, "anthropic": handler, "gemini": handler, "xai": handler,
		})
		logger := discovery.WithLogger(slog.New(slog.NewJSONHandler(&log, nil)))
		c := s.inProcess(logger, discovery.WithStrictErrors())
		_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
		require.Error(t, err)
		_, retirements := c.Retirements(t.Context())
		require.Error(t, retirements)
		require.Len(t, s.failures, 8, "the catalog, five lists and two registries")
		fmt.Fprintf(&log, "%v %+v %#v %v %#v %+v %#v", err, err, err, retirements, retirements, c, c)
		for _, f := range s.failures {
			text, _ := json.Marshal(f)
			fmt.Fprintf(&log, "%v %+v %#v %+v %#v %s", f, f, f, f.Err, f.Err, text)
			for e := error(f); e != nil; e = errors.Unwrap(e) {
				fmt.Fprintf(&log, "%v %+v %#v", e, e, e)
			}
		}
	}
	for _, key := range keys {
		assert.NotContains(t, log.String(), key[:14])
	}
	assert.Contains(t, log.String(), "[REDACTED]")
}

func TestRedactedErrorStillMatchesTheContextError(t *testing.T) {
	t.Setenv("XAI_API_KEY", keys["XAI_API_KEY"])
	for ended, reason := range map[error]discovery.Reason{context.Canceled: discovery.ReasonNetwork, context.DeadlineExceeded: discovery.ReasonTimeout} {
		s := newFakeServer(map[string]http.HandlerFunc{"catalog": respondStatus(500, ""), "xai": func(_ http.ResponseWriter, r *http.Request) {
			panic(fmt.Errorf("cannot send %v: %w", r.Header, ended))
		}})
		_, err := s.inProcess().ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		require.ErrorIs(t, s.failures[1], ended)
		assert.Equal(t, reason, s.failures[1].Reason)
	}
}

func TestCredentialedCallsFollowNoRedirect(t *testing.T) {
	setKeys(t)
	for _, name := range []string{"openai", "deepseek", "anthropic", "gemini", "xai"} {
		s := newFakeServer(map[string]http.HandlerFunc{
			"catalog": respondStatus(500, ""),
			name: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			},
		})
		_, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		assert.Zero(t, s.count("elsewhere"), name)
		assert.Contains(t, s.reasons(), name+" status")
	}
}

func TestFailuresAreLogged(t *testing.T) {
	var log bytes.Buffer
	s := catalogServer("")
	s.set("catalog", respondStatus(500, "oops"))
	s.set("openai", respondStatus(429, "slow"))
	t.Setenv("OPENAI_API_KEY", "example")
	_, err := s.client(t, discovery.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))).ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Contains(t, log.String(), "level=WARN")
	assert.Regexp(t, `(?m)provider=catalog .*status=500`, log.String())
	assert.Regexp(t, `(?m)provider=openai .*status=429`, log.String())
	assert.NotContains(t, log.String(), `provider=""`)
	assert.Contains(t, log.String(), "operation=ListModels")
	assert.Contains(t, log.String(), "reason=status")
	assert.Contains(t, log.String(), "oops")
}

// Several methods share the catalog and its outages, so another method may have sent the
// request.
func TestFailureNamesTheMethodThatWasCalled(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"catalog": respondStatus(500, "")})
	c := s.inProcess(discovery.WithStrictErrors())
	for _, opts := range []discovery.CatalogOptions{{}, {Refresh: true}} { // cached, then requested by each
		for operation, call := range map[string]func() error{
			"ListModels":       func() error { _, err := c.ListModels(t.Context(), opts); return err },
			"IsModelSupported": func() error { _, err := c.IsModelSupported(t.Context(), "gpt-4o", opts); return err },
			"GetModelInfo":     func() error { _, err := c.GetModelInfo(t.Context(), "gpt-4o", opts); return err },
		} {
			s.failures = nil
			var failure *discovery.Failure
			require.ErrorAs(t, call(), &failure)
			assert.Equal(t, operation, failure.Operation)
			for _, reported := range s.failures {
				assert.Equal(t, operation, reported.Operation)
			}
			assert.True(t, !opts.Refresh || len(s.failures) > 0)
		}
	}
}

func TestErrorsAsFindsAFailureAsPointerOnly(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"catalog": respondStatus(503, "")})
	_, err := s.client(t, discovery.WithStrictErrors()).ListModels(t.Context(), discovery.CatalogOptions{})
	var pointer *discovery.Failure
	require.ErrorAs(t, err, &pointer)
	assert.NotErrorAs(t, err, new(discovery.Failure))
	assert.Equal(t, 503, pointer.StatusCode)
	var other *discovery.ValueError
	assert.NotErrorAs(t, err, &other)
}

func TestFailureTextHasOneLine(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"one\ntwo\x1b[31mred": "discovery: ListModels: catalog: status: status 503: one two [31mred",
		"":                    "discovery: ListModels: catalog: status: status 503",
		"\r\n":                "discovery: ListModels: catalog: status: status 503",
	} {
		s := catalogServer("")
		s.set("catalog", respondStatus(503, body))
		_, err := s.inProcess(discovery.WithStrictErrors()).ListModels(t.Context(), discovery.CatalogOptions{})
		require.Error(t, err)
		assert.Equal(t, want, err.Error())
	}
}

func TestFailuresContainNoPartOfTheKey(t *testing.T) {
	t.Parallel()
	key := strings.Join([]string{"wq7Zk2Rr", "b0xT+9dL/", "uV3mYc81", "hNpE5sGa"}, "Jf4")
	part := key[:len(key)-3]
	for name, answer := range map[string]string{
		"body breaks off":      "HTTP/1.1 401 Unauthorized\r\nContent-Length: 500\r\n\r\nbad key " + part,
		"server cuts":          "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nIncorrect API key provided: " + part[:20] + "****",
		"header without colon": "HTTP/1.1 200 OK\r\nX-Echo " + part + "\r\n\r\n",
		"status line":          "HTTP/1.1 " + part + "\r\n\r\n",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = conn.Write([]byte(answer))
			_ = conn.Close()
		}))
		c := newClient(discovery.WithBaseURL(discovery.ServiceDeepSeek, server.URL), discovery.WithStrictErrors())
		_, err := c.FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{APIKey: discovery.NewSecret(key)})
		server.Close()
		require.Error(t, err, name)
		for i := range len(key) - 7 {
			require.NotContains(t, err.Error(), key[i:i+8], name)
		}
	}
}
