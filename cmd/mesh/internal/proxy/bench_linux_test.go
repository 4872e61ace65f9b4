// The benchmark compares the proxy with httputil.ReverseProxy.

package proxy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// BenchmarkCall makes calls with a 2 kB response: directly, through
// httputil.ReverseProxy, through a base URL, and through tunnels with and without
// --intercept, where both sides have TLS. cpu-ns/op includes the client, the proxy and
// the server.
func BenchmarkCall(b *testing.B) {
	body := strings.Replace(chatAnswer, `"stop"`, `"stop","text":"`+strings.Repeat("word ", 360)+`"`, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	})
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	to, err := url.Parse(server.URL)
	require.NoError(b, err)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	plain := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, Transport: transport, FlushInterval: -1})
	b.Cleanup(plain.Close)
	metered := benchmarked(b, []string{"openai=" + server.URL + "/v1"})
	const host = "bench.example.com"
	hosts.Store(host, handler)
	b.Cleanup(func() { hosts.Delete(host) })
	tunnel, intercepted := startTunnels(b), startTunnels(b, host)
	for _, c := range []struct {
		name, url string
		client    *http.Client
	}{
		{"direct", server.URL + "/v1", http.DefaultClient},
		{"ReverseProxy", plain.URL + "/v1", http.DefaultClient},
		{"base URL", metered, http.DefaultClient},
		{"tunnel", "https://" + host + "/v1", tunnel.client(b, false)},
		{"intercept", "https://" + host + "/v1", intercepted.client(b, false)},
	} {
		b.Run(c.name, func(b *testing.B) {
			before := processorTime()
			for b.Loop() {
				res, err := c.client.Post(c.url+"/chat/completions", "application/json", strings.NewReader(chat))
				require.NoError(b, err)
				_, err = io.Copy(io.Discard, res.Body)
				require.NoError(b, err)
				res.Body.Close()
			}
			b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

func benchmarked(b *testing.B, flags []string) string {
	b.Helper()
	upstreams, err := proxy.Upstreams(flags, nil, func(string) string { return "" })
	require.NoError(b, err)
	meters, err := proxy.NewMeters(prices.BuiltIn(), upstreams, func(calls.Record) {})
	require.NoError(b, err)
	p, err := proxy.Start(b.Context(), proxy.Config{Meters: meters, Upstreams: upstreams, Errs: io.Discard})
	require.NoError(b, err)
	b.Cleanup(func() { _ = p.Close() })
	return variable(p.Environment(nil), "OPENAI_BASE_URL")
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
