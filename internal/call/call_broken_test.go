package call_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// query is a credential in URLs. No error may contain it.
const query = "example-key-of-the-tests"

func hijack(t *testing.T, answer string) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if !assert.NoError(t, err) {
			return
		}
		_, _ = io.WriteString(conn, answer)
		_ = conn.Close()
	}
}

// stall sends a status and half a body, and then nothing.
func stall(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

func TestTimeoutCoversHeaderAndBody(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		handler http.HandlerFunc
		status  int
		body    string
	}{
		"no response": {handler: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		// A truncated 2xx response keeps its status, because the message may have been
		// delivered.
		"200": {stall(http.StatusOK), 200, "half"},
		"503": {stall(http.StatusServiceUnavailable), 503, "half"},
	} {
		synctest.Test(t, func(t *testing.T) {
			own := call.Client(&http.Client{Transport: nettest.Pipe(t, row.handler)})
			limits := call.Limits{Timeout: time.Minute, MaxBytes: 1 << 20}
			begin := time.Now()
			_, failed := call.Do(t.Context(), limits, sender(own, http.MethodGet, "http://server.test"))
			require.NotNil(t, failed, name)
			require.ErrorIs(t, failed, context.DeadlineExceeded, name)
			assert.Equal(t, time.Minute, time.Since(begin), name)
			assert.Equal(t, row.status, failed.Status, name)
			assert.Equal(t, row.status != 0, failed.Header != nil, name)
			assert.Equal(t, row.body, string(failed.Body), name)
		})
	}
}

func TestCallerCanCancel(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 1)
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, failed := call.Do(ctx, roomy, sender(client(t), http.MethodGet, address))
	require.NotNil(t, failed)
	require.ErrorIs(t, failed, context.Canceled)
	require.NotErrorIs(t, failed, context.DeadlineExceeded)

	_, failed = call.Do(ctx, roomy, sender(client(t), http.MethodGet, address))
	require.ErrorIs(t, failed, context.Canceled, "nothing may be sent after the context has ended")
	assert.Empty(t, arrived)
}

// The request's context must not end before the body has been read.
func TestContextOfARequestEndsWithDo(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	var sent context.Context
	_, failed := call.Do(t.Context(), roomy, func(ctx context.Context) (*http.Response, error) {
		sent = ctx
		return sender(client(t), http.MethodGet, address)(ctx)
	})
	require.Nil(t, failed)
	require.ErrorIs(t, sent.Err(), context.Canceled)
	require.NoError(t, t.Context().Err())
}

func TestBodyThatBreaksOffIsAnError(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"less than declared": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[]",
		"nothing at all":     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
		"within a chunk":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[]",
		"before last chunk":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n",
		"within gzip":        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff",
	} {
		resp, failed := get(t, serve(t, hijack(t, answer)), roomy)
		require.NotNil(t, failed, name)
		require.ErrorIs(t, failed, io.ErrUnexpectedEOF, name)
		assert.Equal(t, 200, failed.Status, name)
		assert.Empty(t, resp.Body, "a truncated body must not be returned")
	}
	_, failed := get(t, serve(t, hijack(t, "HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\nhalf")), roomy)
	require.NotNil(t, failed)
	assert.Equal(t, 500, failed.Status)
	assert.Equal(t, "half", string(failed.Body))
}

// brokenTransport fails like a transport that requests its own token and reports that
// request's URL.
type brokenTransport struct{}

func (brokenTransport) RoundTrip(*http.Request) (*http.Response, error) {
	inner := &url.Error{Op: "Post", URL: "http://auth.example/token?key=" + query, Err: net.ErrClosed}
	return nil, fmt.Errorf("cannot fetch token: %w", inner)
}

func TestNoErrorTextContainsAURL(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		client *http.Client
		url    string
		limits call.Limits
		want   error
	}{
		"connection refused": {url: "http://" + nettest.ClosedAddress(t), want: syscall.ECONNREFUSED},
		"no answer":          {url: serve(t, hijack(t, "")), want: io.EOF},
		"no HTTP":            {url: serve(t, hijack(t, "SSH-2.0\r\n\r\n"))},
		"cut short":          {url: serve(t, hijack(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")), want: io.ErrUnexpectedEOF},
		"timeout":            {url: serve(t, stall(200)), limits: call.Limits{Timeout: 20 * time.Millisecond, MaxBytes: 9}, want: context.DeadlineExceeded},
		"client's timeout":   {url: serve(t, stall(200)), client: &http.Client{Timeout: 20 * time.Millisecond}, want: context.DeadlineExceeded},
		"cancelled":          {url: "http://127.0.0.1:1", ctx: ended, want: context.Canceled},
		"too large":          {url: serve(t, hijack(t, "HTTP/1.1 200 OK\r\n\r\n0123456789")), limits: call.Limits{MaxBytes: 9}, want: call.ErrTooLarge},
		"wrong scheme":       {url: "gopher://127.0.0.1:1"},
		"no such host":       {url: "http://[::1%25lo]:99999"},
		"unreadable URL":     {url: "http://127.0.0.1:1/%zz"},
		"a URL in a URL":     {url: "http://127.0.0.1:1", client: &http.Client{Transport: brokenTransport{}}, want: net.ErrClosed},
	} {
		if c.ctx == nil {
			c.ctx = t.Context()
		}
		if c.limits.MaxBytes == 0 {
			c.limits = roomy
		}
		own := call.Client(c.client)
		_, failed := call.Do(c.ctx, c.limits, sender(own, http.MethodGet, c.url+"/peers?key="+query))
		own.CloseIdleConnections()
		require.NotNil(t, failed, name)
		require.Error(t, failed.Err, name)
		if c.want != nil {
			require.ErrorIs(t, failed, c.want, name)
		}
		for _, printed := range []string{failed.Error(), fmt.Sprintf("%v", failed), fmt.Sprintf("%+v", failed.Err)} {
			assert.NotContains(t, printed, query, name)
			assert.NotContains(t, printed, "/peers", name)
			assert.NotContains(t, printed, "://", name)
		}
		var e *url.Error
		assert.NotErrorAs(t, failed, &e, "no URL in the chain: %s", name)
	}
}

func TestTransportErrorIsWrapped(t *testing.T) {
	t.Parallel()
	own := errors.New("a request editor failed")
	_, failed := call.Do(t.Context(), roomy, func(context.Context) (*http.Response, error) { return nil, own })
	require.NotNil(t, failed)
	require.ErrorIs(t, failed, own)
	assert.EqualError(t, failed, "a request editor failed")
}
