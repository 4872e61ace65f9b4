package agent_test

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// TestIdleNodeLoad counts an idle node's requests over two hours. docs/scale.md has the
// figures.
func TestIdleNodeLoad(t *testing.T) {
	t.Parallel()
	const (
		hours   = 2
		lookups = 4.0 / 3 // every 30 to 60 seconds
	)
	register := &client.RegisterRequest{URL: "http://node-a:8787"}
	for _, row := range []struct {
		name      string
		opts      agent.ServeOptions
		perMinute float64
		message   time.Duration // between two messages, or 0
	}{
		{"polls", agent.ServeOptions{}, 12, 0},
		{"polls and stays registered", agent.ServeOptions{Register: register}, 12 + lookups, 0},
		{"polls every 30 s", agent.ServeOptions{IdleInterval: 30 * time.Second}, 2, 0},
		{"polls every 30 s and stays registered", agent.ServeOptions{Register: register, IdleInterval: 30 * time.Second}, 2 + lookups, 0},
		{"one message a minute", agent.ServeOptions{Register: register, IdleInterval: 30 * time.Second}, 62 + lookups, time.Minute},
	} {
		g := gatewaytest.New(t)
		var requests atomic.Int64
		count := nettest.Call(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			if r.Body == nil { // a server never has such a request
				r.Body = http.NoBody
			}
			g.Handler().ServeHTTP(w, r)
		})
		synctest.Test(t, func(t *testing.T) {
			c, err := client.New("node-a", client.WithGatewayURL("http://gateway.test"), client.WithHTTPClient(&http.Client{Transport: count}))
			require.NoError(t, err)
			defer c.Close()
			ctx, stop := context.WithTimeout(t.Context(), hours*time.Hour)
			defer stop()
			nothing := func(context.Context, client.MeshMessage) error { return nil }
			if row.message > 0 {
				ticks := time.NewTicker(row.message)
				defer ticks.Stop()
				go func() {
					for ctx.Err() == nil {
						select {
						case <-ticks.C:
							g.Store("node-b", "node-a", "fyi", "news")
						case <-ctx.Done():
						}
					}
				}()
			}
			row.opts.OnError = func(_ client.MeshMessage, err error) { assert.NoError(t, err) }
			require.NoError(t, agent.Serve(ctx, c, nothing, row.opts))
		})
		perMinute := float64(requests.Load()) / (hours * 60)
		t.Logf("%s: %.3f requests a second", row.name, perMinute/60)
		assert.InEpsilon(t, row.perMinute, perMinute, 0.05, row.name)
	}
}

// BenchmarkIdlePoll reads an empty inbox from the test gateway, with two nodes per
// processor: polls/s is what gateway and nodes manage together on one machine.
// impl=baseline sends the same request with just net/http.
func BenchmarkIdlePoll(b *testing.B) {
	g := gatewaytest.New(b, gatewaytest.WithoutRequestLog())
	poll := func(b *testing.B, fetch func(context.Context) error) {
		b.ReportAllocs()
		b.SetParallelism(2)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := fetch(context.Background()); err != nil {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "polls/s")
	}
	b.Run("impl=mesh", func(b *testing.B) {
		c, err := client.New("node-a", g.Options()...)
		require.NoError(b, err)
		defer c.Close()
		poll(b, func(ctx context.Context) error {
			_, err := c.Fetch(ctx, client.FetchOptions{UnreadOnly: true, Limit: 1000})
			return err
		})
	})
	b.Run("impl=baseline", func(b *testing.B) {
		transport := &http.Transport{MaxIdleConnsPerHost: 100, IdleConnTimeout: 4 * time.Second}
		defer transport.CloseIdleConnections()
		poll(b, func(ctx context.Context) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.URL+"/messages?to=node-a&unread_only=true&limit=1000", nil)
			if err != nil {
				return err
			}
			resp, err := transport.RoundTrip(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			_, err = io.Copy(io.Discard, resp.Body)
			return err
		})
	})
}
