package call_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

// roomy fits every test that isn't about limits.
var roomy = call.Limits{Timeout: time.Minute, MaxBytes: 1 << 20}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// sender sends one request like a generated client's method.
func sender(client *http.Client, method, url string) func(context.Context) (*http.Response, error) {
	return func(ctx context.Context) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
		if err != nil {
			return nil, err
		}
		return client.Do(req)
	}
}

func get(t *testing.T, url string, limits call.Limits) (call.Response, *call.Error) {
	t.Helper()
	return call.Do(t.Context(), limits, sender(client(t), http.MethodGet, url))
}

func client(t *testing.T) *http.Client {
	t.Helper()
	c := call.Client(nil)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func TestCompleteResponseIsReturned(t *testing.T) {
	t.Parallel()
	for status, body := range map[int]string{200: `{"a":1}`, 201: "made", 204: "", 299: "x", 206: ""} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "r1")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
		resp, failed := get(t, url, roomy)
		require.Nil(t, failed)
		assert.Equal(t, status, resp.Status)
		assert.Equal(t, body, string(resp.Body))
		assert.Equal(t, "r1", resp.Header.Get("X-Request-Id"))
	}
}

func TestWithoutATimeoutOnlyTheContextLimitsARequest(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	_, failed := call.Do(t.Context(), call.Limits{MaxBytes: 10}, func(ctx context.Context) (*http.Response, error) {
		_, bounded := ctx.Deadline()
		assert.False(t, bounded)
		return sender(client(t), http.MethodGet, url)(ctx)
	})
	require.Nil(t, failed)
}

func TestErrorHasTheStatusOfEveryBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ contentType, body string }{
		"JSON":         {"application/json", `{"detail":"no"}`},
		"broken JSON":  {"application/json", `{"detail":`},
		"HTML":         {"text/html", "<html><body>Bad Gateway</body></html>"},
		"text":         {"text/plain", "Internal Server Error"},
		"empty":        {"application/json", ""},
		"invalid UTF8": {"text/plain", "\xff\xfe"},
	} {
		for _, status := range []int{400, 401, 404, 409, 422, 429, 500, 502, 503, 599} {
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, c.body)
			})
			resp, failed := get(t, url, call.Limits{Timeout: time.Minute, MaxBytes: 1})
			require.NotNil(t, failed, name)
			assert.Equal(t, call.Response{}, resp)
			assert.Equal(t, status, failed.Status, name)
			assert.Equal(t, c.body, string(failed.Body), name)
			assert.Equal(t, "7", failed.Header.Get("Retry-After"))
			require.NoError(t, failed.Unwrap(), "the status alone is the failure")
			assert.EqualError(t, failed, "status "+strconv.Itoa(status))
		}
	}
}

func TestErrorBodyIsReadOnlyInPart(t *testing.T) {
	t.Parallel()
	const kept = 64 << 10
	for _, size := range []int{kept - 1, kept, kept + 1, 4 << 20} {
		body := bytes.Repeat([]byte("x"), size)
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write(body)
		})
		_, failed := get(t, url, call.Limits{MaxBytes: 10})
		require.NotNil(t, failed)
		assert.Equal(t, 500, failed.Status)
		assert.Len(t, failed.Body, min(size, kept))
		assert.NoError(t, failed.Err, "a long error body isn't an error itself")
	}
}

// net/http would follow a POST's 302 with a GET, and its 200 would pass as the POST's
// response.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, status := range []int{300, 301, 302, 303, 304, 305, 307, 308} {
			var hits atomic.Int32
			mux := http.NewServeMux()
			mux.HandleFunc("/target", func(w http.ResponseWriter, _ *http.Request) { hits.Add(1); w.WriteHeader(http.StatusOK) })
			mux.HandleFunc("/messages", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/target")
				w.WriteHeader(status)
			})
			url := serve(t, mux.ServeHTTP)
			_, failed := call.Do(t.Context(), roomy, sender(client(t), method, url+"/messages"))
			require.NotNil(t, failed, "%s %d", method, status)
			assert.Equal(t, status, failed.Status)
			assert.Zero(t, hits.Load(), "%s %d", method, status)
		}
	}
}
