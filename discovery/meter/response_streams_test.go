package meter_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/streams"
)

// A meter counts every recorded stream like Stream does, with short or long content and
// for any read size.
func TestStreamsAreCountedAtAnySize(t *testing.T) {
	t.Parallel()
	for _, recorded := range streams.Recorded(t) {
		t.Run(recorded.Name, func(t *testing.T) {
			t.Parallel()
			recorded.Each(t, 24, func(s streams.Stream, want prices.Response, read int) {
				e := &exchange{}
				e.Request.Method, e.Request.URL, e.Request.Body = http.MethodPost, s.URL, s.Request
				e.Response.Status, e.Response.Headers = 200, map[string]string{"Content-Type": "text/event-stream"}
				e.Response.Body = s.Body
				records := send(t, e, read, false)
				require.Len(t, records, 1)
				streams.Check(t, want, records[0])
			})
		})
	}
}

// streamServer serves one stream at a time; the test sets its body.
type streamServer struct {
	*httptest.Server
	mu   sync.Mutex
	body string
}

func serveStreams(t *testing.T, http2 bool) *streamServer {
	t.Helper()
	s := &streamServer{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, s.body)
	}))
	s.EnableHTTP2 = http2
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *streamServer) set(body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = body
}

func TestStreamsAreCountedOverTheNetwork(t *testing.T) {
	t.Parallel()
	for version, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := serveStreams(t, http2)
			base := &http.Transport{TLSClientConfig: server.Client().Transport.(*http.Transport).TLSClientConfig.Clone(), ForceAttemptHTTP2: http2}
			t.Cleanup(base.CloseIdleConnections)
			if !http2 {
				base.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
			}
			for _, recorded := range streams.Recorded(t) {
				recorded.Each(t, 68, func(s streams.Stream, want prices.Response, read int) {
					server.set(s.Body)
					var records []calls.Record
					save := meter.WithRecorder(func(r calls.Record) { records = append(records, r) })
					m, err := meter.New(meter.WithEndpoint(meter.Endpoint{Host: server.Listener.Addr().String(), API: s.Provider}), save)
					require.NoError(t, err)
					readStream(t, m.Transport(base), server.URL+s.Path(), &s, version, read)
					require.Len(t, records, 1)
					streams.Check(t, want, records[0])
				})
			}
		})
	}
}

func readStream(t *testing.T, transport http.RoundTripper, url string, s *streams.Stream, version string, read int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(s.Request))
	require.NoError(t, err)
	res, err := transport.RoundTrip(req)
	require.NoError(t, err)
	assert.Equal(t, version, res.Proto)
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{res.Body}, make([]byte, read))
	require.NoError(t, err)
	require.EqualValues(t, len(s.Body), n)
	require.NoError(t, res.Body.Close())
}

// If chunks with choices carry running usage, the last one counts. The call is recorded
// after [DONE], or when the response ends or is closed.
func TestTheLastUsageOfAChatStreamCounts(t *testing.T) {
	t.Parallel()
	const (
		soFar    = `data: {"id":"c","model":"gpt-4o","choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":1,"total_tokens":1001}}` + "\n\n"
		choices  = `data: {"id":"c","model":"gpt-4o","choices":[{"finish_reason":null}],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}` + "\n\n"
		none     = `data: {"id":"c","model":"gpt-4o","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}` + "\n\n"
		finished = `data: {"id":"c","model":"gpt-4o","choices":[{"finish_reason":"stop"}],"usage":null}` + "\n\n"
		done     = "data: [DONE]\n\n"
	)
	for events, early := range map[string]bool{ // early: recorded before the end
		soFar + choices: false, soFar + choices + done: true, soFar + none: true, none + finished: false, soFar + choices + none + soFar: true,
	} {
		var records recorder
		m, err := meter.New(meter.WithRecorder(records.record))
		require.NoError(t, err)
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			header := http.Header{"Content-Type": {"text/event-stream"}}
			return &http.Response{StatusCode: 200, Header: header, Request: req, Body: io.NopCloser(strings.NewReader(events))}, nil
		})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.openai.com/v1/chat/completions", strings.NewReader(chat))
		require.NoError(t, err)
		res, err := m.Transport(base).RoundTrip(req)
		require.NoError(t, err)
		_, err = io.ReadFull(res.Body, make([]byte, len(events)))
		require.NoError(t, err)
		assert.Equal(t, early, len(records.all()) == 1, events)
		require.NoError(t, res.Body.Close())
		require.Len(t, records.all(), 1, events)
		assert.EqualValues(t, chatUSD, records.all()[0].USD, events)
	}
}

// Nothing after [DONE] counts: neither another stream's counts nor an error.
func TestNothingAfterDoneCounts(t *testing.T) {
	t.Parallel()
	const (
		counts = `data: {"id":"c","model":"gpt-4o","choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":%d,"total_tokens":%d}}` + "\n\n"
		none   = `data: {"id":"c","model":"gpt-4o","choices":[{"finish_reason":"stop"}],"usage":null}` + "\n\n"
		failed = `data: {"error":{"message":"x"}}` + "\n\n"
		done   = "data: [DONE]\n\n"
	)
	first, second := fmt.Sprintf(counts, 500, 1500), fmt.Sprintf(counts, 900, 1900)
	for body, usd := range map[string]string{
		first + done + second: chatUSD, first + done + failed: chatUSD, first + done + done + second + failed: chatUSD, none + done + second: "",
		first + strings.ReplaceAll(done, "\n", "\r\n") + second: chatUSD,
	} {
		e := &exchange{}
		e.Request.Method, e.Request.URL, e.Request.Body = http.MethodPost, openAIChat, chat
		e.Response.Status, e.Response.Headers, e.Response.Body = 200, map[string]string{"Content-Type": "text/event-stream"}, body
		for size := range len(body) {
			records := send(t, e, size+1, false)
			require.Len(t, records, 1)
			require.EqualValues(t, usd, records[0].USD, "%s in pieces of %d", body, size+1)
		}
	}
}

// Data after the final counts is ignored, in the same piece or the next.
func TestNothingAfterTheFinalCountsMatters(t *testing.T) {
	t.Parallel()
	exception := frame("exception", "modelStreamErrorException", "{}")
	array := &exchange{}
	array.Request.Method, array.Request.URL = http.MethodPost, messages
	array.Response.Status, array.Response.Headers = 200, map[string]string{"Content-Type": "application/json"}
	array.Response.Body = `[{"id":"m","model":"claude-sonnet-5","usage":{"promptTokenCount":20}} , {"id":"n"}] x`
	for name, e := range map[string]*exchange{
		"an exception":          binaryExchange(invokeStream, slices.Concat(chunkStart, chunkEnd, exception)),
		"a damaged message":     binaryExchange(invokeStream, slices.Concat(chunkStart, chunkEnd, exception[1:])),
		"an array of documents": array,
	} {
		whole := withoutTimes(send(t, e, 1<<20, false))
		for size := range len(e.Response.Body) {
			require.Equal(t, whole, withoutTimes(send(t, e, size+1, false)), "%s in pieces of %d", name, size+1)
		}
		require.Equal(t, whole, withoutTimes(send(t, e, 3, true)), name)
	}
}
