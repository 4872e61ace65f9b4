package call_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/test/http2"
)

// refusals are ways to refuse an HTTP/2 request that make net/http retry it.
var refusals = map[string]func(http2.Request){
	"REFUSED_STREAM": func(r http2.Request) { r.Reset(http2.RefusedStream) },
	"PROTOCOL_ERROR": func(r http2.Request) { r.Reset(http2.ProtocolError) },
	"GOAWAY":         func(r http2.Request) { r.GoAway(http2.NoError) },
	"GOAWAY, closed": func(r http2.Request) { r.GoAway(http2.NoError); r.Drop() },
}

func TestBodyIsTransmittedOnceOverHTTP2(t *testing.T) {
	t.Parallel()
	for name, refuse := range refusals {
		server := http2.New(t, refuse)
		own := call.Client(server.Client())
		_, failed := call.Do(t.Context(), roomy, poster(own, server.URL, "message"))
		require.NotNil(t, failed, name)
		assert.Zero(t, failed.Status)
		assert.True(t, failed.Transmitted, name)
		assert.EqualValues(t, 1, server.WithBody.Load(), name)
		if name != "PROTOCOL_ERROR" { // Go 1.27 doesn't retry it
			assert.Contains(t, failed.Error(), "not sent again because it may have arrived", name)
		}
		assert.NotContains(t, failed.Error(), "GetBody", name)
	}
}

// There is no reset here, because net/http then waits for seconds.
// TestStoppedRequestLeavesTheConnectionOpen has one.
func TestRequestWithoutABodyIsTransmittedThreeTimesOverHTTP2(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, refusal := range []string{"GOAWAY", "GOAWAY, closed"} {
			server := http2.New(t, refusals[refusal])
			_, failed := call.Do(t.Context(), roomy, sender(call.Client(server.Client()), method, server.URL))
			require.NotNil(t, failed, method)
			assert.True(t, failed.Transmitted)
			require.EqualError(t, failed, "the request was transmitted 3 times without a response")
			assert.EqualValues(t, 3, server.Empty.Load(), "%s %s", method, refusal)
		}
	}
}

func TestThirdTransmissionMaySucceed(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := http2.New(t, func(r http2.Request) {
		if requests.Add(1) < 3 {
			r.GoAway(http2.NoError)
			return
		}
		r.Answer("ok")
	})
	resp, failed := call.Do(t.Context(), call.Limits{MaxBytes: 10}, sender(call.Client(server.Client()), http.MethodGet, server.URL))
	require.Nil(t, failed)
	assert.Equal(t, "ok", string(resp.Body))
}

// Other requests on the connection must continue.
func TestStoppedRequestLeavesTheConnectionOpen(t *testing.T) {
	t.Parallel()
	arrived, answer := make(chan http2.Request, 1), make(chan struct{})
	server := http2.New(t, func(r http2.Request) {
		if r.HasBody {
			arrived <- r
			return
		}
		r.Reset(http2.RefusedStream)
	})
	own := call.Client(server.Client())
	go func() {
		waiting := <-arrived
		_, failed := call.Do(t.Context(), roomy, sender(own, http.MethodPost, server.URL))
		assert.NotNil(t, failed)
		assert.EqualValues(t, 3, server.Empty.Load())
		waiting.Answer("ok")
		close(answer)
	}()
	resp, failed := call.Do(t.Context(), roomy, poster(own, server.URL, "message"))
	require.Nil(t, failed)
	assert.Equal(t, "ok", string(resp.Body))
	<-answer
}

// A server may keep many connections open and close each one on its next request.
// net/http retries a GET on all of them: with 20 such connections, it transmits a request
// 21 times.
func TestRequestWithoutABodyIsTransmittedThreeTimesOverHTTP1(t *testing.T) {
	t.Parallel()
	const idle = 20
	for name, transport := range map[string]http.RoundTripper{
		"own": call.Transport(0), "given": &http.Transport{MaxIdleConnsPerHost: idle},
	} {
		server := newClosingServer(t, idle)
		own := call.Client(&http.Client{Transport: transport})
		var all sync.WaitGroup
		for range idle {
			all.Go(func() { _, _ = call.Do(t.Context(), roomy, sender(own, http.MethodGet, server.url)) })
		}
		all.Wait()
		server.closing.Store(true)
		_, failed := call.Do(fourthIsClosed(t), roomy, sender(own, http.MethodGet, server.url))
		require.NotNil(t, failed, name)
		require.EqualError(t, failed, "the request was transmitted 3 times without a response", name)
		assert.True(t, failed.Transmitted, name)
		assert.EqualValues(t, 3, server.closed.Load(), name)
		own.CloseIdleConnections()
	}
}

// fourthIsClosed returns a context that checks that nothing can be written to the fourth
// connection.
func fourthIsClosed(t *testing.T) context.Context {
	t.Helper()
	connections := 0
	return httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if connections++; connections == 4 {
			assert.ErrorIs(t, info.Conn.SetDeadline(time.Time{}), net.ErrClosed)
		}
	}})
}

// closingServer answers the first requests only after all have arrived, so that each has
// its own connection. When closing, it reads a request and closes its connection.
type closingServer struct {
	url     string
	closing atomic.Bool
	closed  atomic.Int64
}

func newClosingServer(t *testing.T, connections int) *closingServer {
	t.Helper()
	s := new(closingServer)
	var together sync.WaitGroup
	together.Add(connections)
	s.url = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if !s.closing.Load() {
			together.Done()
			together.Wait()
			return
		}
		s.closed.Add(1)
		conn, _, err := http.NewResponseController(w).Hijack()
		if assert.NoError(t, err) {
			_ = conn.Close()
		}
	})
	return s
}

// A caller's transport may repeat a request after a response as often as it likes.
func TestTransportMayRepeatAnsweredRequests(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) < 8 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	next := &http.Transport{}
	t.Cleanup(next.CloseIdleConnections)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		requests.Store(0)
		own := call.Client(&http.Client{Transport: repeating{next}})
		_, failed := call.Do(t.Context(), roomy, sender(own, method, url))
		require.Nil(t, failed)
		assert.EqualValues(t, 8, requests.Load())
	}
}

// repeating retries until the status isn't 503.
type repeating struct{ next http.RoundTripper }

func (r repeating) RoundTrip(req *http.Request) (*http.Response, error) {
	for {
		resp, err := r.next.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusServiceUnavailable {
			return resp, err
		}
		_ = resp.Body.Close()
	}
}

func TestInformationalResponsesAreBounded(t *testing.T) {
	t.Parallel()
	url := serve(t, hijack(t, strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1000)+"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	_, failed := get(t, url, roomy)
	require.NotNil(t, failed)
	assert.ErrorContains(t, failed, "more than 10 responses with a status of 1xx")
}

// The test isn't parallel, because it replaces http.DefaultTransport, which each client
// copies. Four fields make a used transport speak HTTP/2.
func TestOwnTransportSpeaksHTTP1(t *testing.T) {
	protocol := make(chan string, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { protocol <- r.Proto }))
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}}
	server.StartTLS()
	t.Cleanup(server.Close)
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	trusting := server.Client().Transport.(*http.Transport)
	both := new(http.Protocols)
	both.SetHTTP1(true)
	both.SetHTTP2(true)
	for name, set := range map[string]func(*http.Transport){
		"as it is":        func(*http.Transport) {},
		"forced":          func(t *http.Transport) { t.ForceAttemptHTTP2 = true },
		"with Protocols":  func(t *http.Transport) { t.Protocols = both },
		"with NextProtos": func(t *http.Transport) { t.TLSClientConfig.NextProtos = []string{"h2", "http/1.1"} },
	} {
		used := trusting.Clone()
		set(used)
		_, err := (&http.Client{Transport: used}).Get(server.URL)
		require.NoError(t, err)
		require.Equal(t, "HTTP/2.0", <-protocol, "the default transport would, %s", name)
		http.DefaultTransport = used
		_, failed := get(t, server.URL, roomy)
		require.Nil(t, failed, name)
		assert.Equal(t, "HTTP/1.1", <-protocol, name)
		used.CloseIdleConnections()
	}
}

// poster sends a POST whose body can be sent again.
func poster(client *http.Client, url, body string) func(context.Context) (*http.Response, error) {
	return func(ctx context.Context) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		return client.Do(req)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now, long := time.Date(2026, 11, 21, 8, 0, 0, 500, time.UTC), strings.Repeat("9", 400)
	for text, want := range map[string]time.Duration{
		"0":                                0,
		"120":                              2 * time.Minute,
		" 7 ":                              7 * time.Second,
		"007":                              7 * time.Second,
		"1.5":                              1500 * time.Millisecond,
		"0.25":                             250 * time.Millisecond,
		"30.0":                             30 * time.Second,
		"99999999999999999999.5":           9223372036 * time.Second,
		long + ".1":                        9223372036 * time.Second,
		"2147483648":                       2147483648 * time.Second,
		"9223372037":                       9223372036 * time.Second, // the longest Duration
		"99999999999999999999999999":       9223372036 * time.Second,
		"Sat, 21 Nov 2026 08:01:00 GMT":    time.Minute - 500,
		"Saturday, 21-Nov-26 08:01:00 GMT": time.Minute - 500,
		"Sat Nov 21 08:01:00 2026":         time.Minute - 500,
		"Sat, 21 Nov 2026 07:59:00 GMT":    0,
		"Thu, 01 Jan 1970 00:00:00 GMT":    0,
	} {
		wait, ok := call.RetryAfter(http.Header{"Retry-After": {text}}, now)
		assert.True(t, ok, text)
		assert.Equal(t, want, wait, text)
	}
	for _, text := range []string{
		"", "-1", "-0", "+5", "1.", ".5", "1.5.5", "1,5", "-1.5", "NaN", "Inf", "1_0", "1e3", "soon", "5s", "0x10", "1 2",
		"Sat, 21 Nov 2026", "2026-11-21T08:01:00Z", "Sat, 99 Nov 2026 08:01:00 GMT", "\x00",
	} {
		wait, ok := call.RetryAfter(http.Header{"Retry-After": {text}}, now)
		assert.False(t, ok, text)
		assert.Zero(t, wait, text)
	}
	// there is no header without a response
	for _, header := range []http.Header{nil, {}, {"Retry-After": nil}} {
		_, ok := call.RetryAfter(header, now)
		assert.False(t, ok)
	}
}

// An overflowing wait would be in the past.
func TestRetryAfterNeverOverflows(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for _, text := range []string{"2147483647", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		wait, ok := call.RetryAfter(http.Header{"Retry-After": {text}}, now)
		assert.True(t, ok)
		assert.Positive(t, wait)
	}
}
