package proxy_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// In rounds with 32 concurrent calls, 32 connections are enough: a round starts when the
// last one has ended, and its responses wait for each other.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	const rounds, calls = 20, 32
	var opened atomic.Int64
	var waiting sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		waiting.Done()
		waiting.Wait()
		_, _ = io.WriteString(w, chatAnswer)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	p := start(t, nil, []string{"openai=" + server.URL + "/v1%.0s"})
	for range rounds {
		waiting.Add(calls)
		var round sync.WaitGroup
		for range calls {
			round.Go(func() { textOf(t, do(t, http.MethodPost, p.base+"/chat/completions", chat)) })
		}
		round.Wait()
	}
	assert.Less(t, opened.Load(), int64(2*calls), "in %d calls", rounds*calls)
}

// Only the meter's own refusals are read before they're passed on. A provider's may be
// long, and much longer when unpacked.
func TestRefusalsOfAProviderAreStreamed(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	p := start(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("X-Should-Retry", "true")
		w.WriteHeader(http.StatusPaymentRequired)
		packed := gzip.NewWriter(w)
		_, _ = io.WriteString(packed, "begin")
		_ = packed.Flush()
		_ = http.NewResponseController(w).Flush()
		select {
		case <-arrived:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(packed, " end")
		_ = packed.Close()
	}, []string{"openai=%s/v1"})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.base+"/chat/completions", strings.NewReader(chat))
	require.NoError(t, err)
	res, err := new(http.Transport).RoundTrip(req)
	require.NoError(t, err, "the response must not wait for its end")
	defer res.Body.Close()
	_, err = io.ReadFull(res.Body, make([]byte, len("begin")))
	require.NoError(t, err)
	close(arrived)
	assert.Equal(t, " end", textOf(t, res))
	assert.Equal(t, http.StatusPaymentRequired, res.StatusCode)
	assert.Equal(t, "true", res.Header.Get("X-Should-Retry"))
	assert.Zero(t, p.meters.Refused.Load())
}

// An upstream's base path may contain a key, or another proxy's secret path.
func TestRecordsShowNoBasePath(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"/v1":                "/v1/chat/completions",
		"":                   "/chat/completions",
		"/" + key:            "/chat/completions",
		"/" + key + "/":      "//chat/completions",
		"/a/" + key + "/v1":  "/v1/chat/completions",
		"/" + key + "/v1/":   "/v1//chat/completions",
		"/v1/" + key:         "/chat/completions",
		"/%20" + key + "/v4": "/v4/chat/completions",
	} {
		var got string
		p := start(t, func(w http.ResponseWriter, r *http.Request) {
			got = r.RequestURI
			_, _ = io.WriteString(w, chatAnswer)
		}, []string{"openai=%s" + strings.ReplaceAll(base, "%", "%%")})
		textOf(t, do(t, http.MethodPost, p.base+"/chat/completions", chat))
		assert.Equal(t, base+"/chat/completions", got)
		require.Len(t, p.records, 1)
		assert.Equal(t, want, p.records[0].Path, base)
		assert.EqualValues(t, "0.0075", p.records[0].USD)
	}
}

func TestRecordsOfANestedRunShowNoSecretPath(t *testing.T) {
	t.Parallel()
	outer := start(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, chatAnswer) }, []string{"openai=%s/v1"})
	inner := start(t, nil, []string{"openai=" + outer.base + "%.0s"})
	textOf(t, do(t, http.MethodPost, inner.base+"/chat/completions", chat))
	for _, p := range []*started{outer, inner} {
		require.Len(t, p.records, 1)
		assert.Equal(t, "/v1/chat/completions", p.records[0].Path)
	}
}

// A request that wasn't sent isn't a call.
func TestRequestsWithoutAResponseHaveFailed(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	p := start(t, nil, []string{"openai=" + closed.URL + "/v1%.0s"})
	textOf(t, do(t, http.MethodPost, p.base+"/chat/completions", chat))
	assert.Empty(t, p.records)
	assert.EqualValues(t, 1, p.meters.Failed.Load())
}

// Codex repeats a call after 402. Other programs we tried don't, and 402 says why the
// call was refused.
func TestRefusalsHaveTheStatusThatEndsTheProgram(t *testing.T) {
	t.Parallel()
	p := start(t, nil, []string{"openai=%s/v1"}, meter.WithBudget(meter.Budget{USD: "0"}))
	for agent, status := range map[string]int{
		"codex_exec/0.169.0 (Debian 12.0.0; x86_64)": 400, "codex_cli_rs/0.50": 400, "Codex Desktop/1": 400,
		"OpenAI/JS 6.1.0": 402, "claude-cli/2.1": 402, "my-codex/1": 402, "": 402,
	} {
		res := do(t, http.MethodPost, p.base+"/responses", `{"model":"gpt-5.2"}`, "User-Agent: "+agent)
		assert.Equal(t, status, res.StatusCode, agent)
		assert.Equal(t, fmt.Sprint(status, " ", http.StatusText(status)), res.Status)
		assert.Equal(t, "false", res.Header.Get("X-Should-Retry"))
		assert.Contains(t, textOf(t, res), "the budget of 0 USD refuses the call")
	}
	assert.EqualValues(t, 7, p.meters.Refused.Load())
}
