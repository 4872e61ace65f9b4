package call_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func TestGivenClientIsCopied(t *testing.T) {
	t.Parallel()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	transport := &counting{}
	given := &http.Client{Transport: transport, Jar: jar, Timeout: time.Second}
	own := call.Client(given)

	assert.NotSame(t, given, own)
	assert.Same(t, transport, given.Transport)
	assert.Same(t, jar, own.Jar)
	assert.Equal(t, time.Second, own.Timeout)
	_, err = own.Get("http://127.0.0.1/")
	require.ErrorIs(t, err, errors.ErrUnsupported, "the given transport is used")
	own.CloseIdleConnections()
	assert.Equal(t, counting{requests: 1, closed: 1}, *transport)
	assert.Equal(t, &http.Client{}, func() *http.Client { c := &http.Client{}; call.Client(c); return c }())
}

// This test and the next aren't parallel: they replace http.DefaultTransport.
func TestClientWithoutATransportUsesTheDefaultTransport(t *testing.T) {
	transport := replaceDefaultTransport(t)
	_, err := call.Client(&http.Client{}).Get("http://127.0.0.1/")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.Equal(t, 1, transport.requests)
}

// Programs replace http.DefaultTransport, for example for tracing.
func TestReplacedDefaultTransportIsUsed(t *testing.T) {
	transport := replaceDefaultTransport(t)
	_, err := call.Client(nil).Get("http://127.0.0.1/")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.Equal(t, 1, transport.requests)
}

// replaceDefaultTransport affects the whole process until the test ends.
func replaceDefaultTransport(t *testing.T) *counting {
	t.Helper()
	before, own := http.DefaultTransport, &counting{}
	t.Cleanup(func() { http.DefaultTransport = before })
	http.DefaultTransport = own
	return own
}

// counting counts requests and fails them all.
type counting struct{ requests, closed int }

func (c *counting) RoundTrip(*http.Request) (*http.Response, error) {
	c.requests++
	return nil, errors.ErrUnsupported
}

func (c *counting) CloseIdleConnections() { c.closed++ }

// net/http parses Location before it calls CheckRedirect. If that fails, it returns no
// response.
func TestInvalidLocationDoesNotHideTheStatus(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"http://[bad?key=hunter2", "%zz", "", "/fine"} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Location"] = []string{location}
			w.WriteHeader(http.StatusFound)
		})
		_, failed := get(t, url, roomy)
		require.NotNil(t, failed)
		assert.Equal(t, http.StatusFound, failed.Status, location)
		assert.NotContains(t, failed.Error(), "hunter2")
	}
}

// After an internal error, some servers close a connection unannounced, so it must not be
// reused.
func TestConnectionIsNotUsedAgainAfterA5xx(t *testing.T) {
	t.Parallel()
	for body, status := range map[string]int{"": 500, "short": 503, string(make([]byte, 100_000)): 500, "fine": 200, "client's fault": 404} {
		var remote []string
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			remote = append(remote, r.RemoteAddr)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
		own := client(t)
		for range 2 {
			_, _ = call.Do(t.Context(), roomy, sender(own, http.MethodGet, url))
		}
		require.Len(t, remote, 2)
		assert.Equal(t, status < 500, remote[0] == remote[1], status)
	}
}

func TestTransportClosesIdleConnections(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(closed)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	own := call.Client(&http.Client{Transport: call.Transport(10 * time.Millisecond)})
	_, _ = call.Do(t.Context(), roomy, sender(own, http.MethodGet, server.URL))
	<-closed // the server itself keeps idle connections
}

func TestTimeoutOfAnHTTPClientIsNotReportedAsOurs(t *testing.T) {
	t.Parallel()
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	own := call.Client(&http.Client{Timeout: 20 * time.Millisecond})
	_, failed := call.Do(t.Context(), roomy, sender(own, http.MethodGet, url))
	require.NotNil(t, failed)
	assert.NotContains(t, failed.Error(), "no complete response within")
}

func TestRedirectKeepsItsHost(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"https://login.example:8443/?key=k": "login.example:8443", "//other.example/x": "other.example", "http://[bad": "", "%zz": "", "": "",
	} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Location"] = []string{location}
			w.Header().Set("Redirect-Host", "a header of the server")
			w.WriteHeader(http.StatusFound)
		})
		_, failed := get(t, url, roomy)
		require.NotNil(t, failed)
		assert.Equal(t, want, failed.RedirectHost, location)
		assert.NotContains(t, failed.Header, "Redirect-Host")
	}
}

// drip sends n bytes, with a pause after each.
func drip(status, n int, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		for range n {
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(pause):
			}
		}
	}
}

func TestABodyMayContinueWhileBytesArrive(t *testing.T) {
	t.Parallel()
	const timeout = 10 * time.Second
	for name, row := range map[string]struct {
		handler http.HandlerFunc
		whole   bool
		body    int           // bytes
		failure string        // "" for a complete response
		after   time.Duration // until Do returns
	}{
		"bytes arrive":       {drip(200, 5, 9*time.Second), false, 5, "", 45 * time.Second},
		"silence":            {drip(200, 5, 11*time.Second), false, 1, "no complete response within 10s", timeout},
		"later silence":      {func(w http.ResponseWriter, r *http.Request) { drip(200, 3, 9*time.Second)(w, r); stall(200)(w, r) }, false, 7, "no complete response within 30s", 37 * time.Second},
		"without end":        {drip(200, 50, 9*time.Second), false, 12, "no complete response within 1m40s", 100 * time.Second},
		"the whole body":     {drip(200, 5, 9*time.Second), true, 2, "no complete response within 10s", timeout},
		"late header":        {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, false, 0, "no complete response within 10s", timeout},
		"error that arrives": {drip(503, 3, 9*time.Second), false, 3, "status 503", 27 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			own := call.Client(&http.Client{Transport: nettest.Pipe(t, row.handler)})
			began := time.Now()
			resp, failed := call.Do(t.Context(), call.Limits{Timeout: timeout, MaxBytes: 1 << 20, WholeBody: row.whole}, sender(own, http.MethodGet, "http://server.test"))
			assert.Equal(t, row.after, time.Since(began).Truncate(time.Second), name)
			if row.failure == "" {
				require.Nil(t, failed, name)
				assert.Len(t, resp.Body, row.body, name)
				return
			}
			require.NotNil(t, failed, name)
			assert.Len(t, failed.Body, row.body, name)
			assert.True(t, strings.HasPrefix(failed.Error(), row.failure), "%s: %v", name, failed)
			if failed.Status != 503 {
				assert.ErrorIs(t, failed, context.DeadlineExceeded, name)
			}
		})
	}
}

func TestTheLongestTimeoutDoesNotOverflow(t *testing.T) {
	t.Parallel()
	resp, failed := get(t, serve(t, drip(200, 2, 0)), call.Limits{Timeout: 1<<63 - 1, MaxBytes: 9})
	require.Nil(t, failed)
	assert.Len(t, resp.Body, 2)
}
