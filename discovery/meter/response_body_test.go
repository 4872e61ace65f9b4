package meter_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

const stream = `data: {"id":"c","model":"gpt-4o","choices":[{"delta":{"content":"a"}}],"usage":null}

data: {"id":"c","model":"gpt-4o","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}

data: [DONE]

`

func TestAStreamIsPassedOnAsItArrives(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	events := strings.SplitAfter(strings.Replace(stream, `"delta"`, `"finish_reason":"stop","delta"`, 1), "\n\n")
	url, m, records := metered(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range events {
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	})
	res, err := post(t.Context(), m.Client(), url+"/v1/chat/completions", chat)
	require.NoError(t, err)
	defer res.Body.Close()
	buffer := make([]byte, 4096)
	for i, event := range events[:3] {
		n, err := res.Body.Read(buffer)
		require.NoError(t, err)
		assert.Equal(t, event, string(buffer[:n]))
		assert.Len(t, records.all(), min(i, 1), "recorded with the final event")
		next <- struct{}{}
	}
	close(next)
	assert.EqualValues(t, chatUSD, records.all()[0].USD)
	assert.True(t, records.all()[0].Stream)
}

func TestAStreamThatIsNotReadToItsEndIsUnpriced(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*http.Response, context.CancelFunc){
		"closed": func(res *http.Response, _ context.CancelFunc) { res.Body.Close() },
		"canceled": func(res *http.Response, cancel context.CancelFunc) {
			cancel()
			_, _ = io.ReadAll(res.Body)
			res.Body.Close()
		},
	} {
		url, m, records := metered(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, strings.SplitAfter(stream, "\n\n")[0])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
		ctx, cancel := context.WithCancel(t.Context())
		res, err := post(ctx, m.Client(), url+"/v1/chat/completions", chat)
		require.NoError(t, err)
		_, err = res.Body.Read(make([]byte, 10))
		require.NoError(t, err)
		end(res, cancel)
		cancel()
		require.Len(t, records.all(), 1, name)
		r := records.all()[0]
		assert.Empty(t, r.USD, name)
		assert.NotEmpty(t, r.Unpriced, name)
		assert.True(t, r.Incomplete, name)
		assert.Equal(t, 1, m.Spent().Unpriced, name)
	}
}

func TestAStreamWithoutUsageNamesTheOption(t *testing.T) {
	t.Parallel()
	events := strings.SplitAfter(stream, "\n\n")
	url, m, records := metered(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, events[0]+events[2])
	})
	postAll(t, m, url+"/v1/chat/completions", chat)
	require.Len(t, records.all(), 1)
	assert.Equal(t, "the stream has no counts; stream_options.include_usage requests them", records.all()[0].Unpriced)
}

// Headers, trailers and every Read are unchanged, over HTTP/1.1 and HTTP/2.
func TestResponsesAreThoseOfTheBaseTransport(t *testing.T) {
	t.Parallel()
	next, events := make(chan struct{}), strings.SplitAfter(stream, "\n\n")[:3]
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Trailer", "X-Checksum")
		w.Header().Set("X-Request-Id", "req_1")
		for _, event := range events {
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
		w.Header().Set("X-Checksum", "sum")
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	type seen struct {
		proto, id, checksum string
		reads               []string
	}
	read := func(rt http.RoundTripper) (s seen) {
		res, err := post(t.Context(), &http.Client{Transport: rt}, server.URL+"/v1/chat/completions", chat)
		require.NoError(t, err)
		defer res.Body.Close()
		s.proto, s.id = res.Proto, res.Header.Get("X-Request-Id")
		buffer := make([]byte, 4096)
		for range events {
			n, err := res.Body.Read(buffer)
			require.NoError(t, err)
			s.reads = append(s.reads, string(buffer[:n]))
			next <- struct{}{}
		}
		_, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		s.checksum = res.Trailer.Get("X-Checksum")
		return s
	}
	records := &recorder{}
	m, err := meter.New(meter.WithEndpoint(meter.Endpoint{Host: strings.TrimPrefix(server.URL, "https://"), API: models.OpenAI}), meter.WithRecorder(records.record))
	require.NoError(t, err)
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
		base := server.Client().Transport.(*http.Transport).Clone()
		base.ForceAttemptHTTP2 = proto == "HTTP/2.0"
		if !base.ForceAttemptHTTP2 {
			base.Protocols = new(http.Protocols)
			base.Protocols.SetHTTP1(true)
			base.TLSClientConfig.NextProtos = nil
		}
		want := read(base)
		require.Equal(t, want.proto, proto)
		assert.Equal(t, "sum", want.checksum)
		assert.Equal(t, want, read(m.Transport(base)))
		base.CloseIdleConnections()
	}
	assert.Len(t, records.all(), 2)
	assert.EqualValues(t, "0.015", m.Spent().USD)
}

// http.Client accepts a response without a body, which a test transport may return.
func TestAResponseWithoutABodyIsPassedOn(t *testing.T) {
	t.Parallel()
	var records recorder
	m, err := meter.New(meter.WithRecorder(records.record))
	require.NoError(t, err)
	for _, status := range []int{http.StatusOK, http.StatusTooManyRequests} {
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, Request: req}, nil
		})
		res, err := post(t.Context(), &http.Client{Transport: m.Transport(base)}, "https://api.openai.com/v1/chat/completions", chat)
		require.NoError(t, err)
		_, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
	}
	all := records.all()
	require.Len(t, all, 2)
	assert.Equal(t, "the response ended before its final counts", all[0].Unpriced)
	assert.EqualValues(t, "0", all[1].USD)
}
