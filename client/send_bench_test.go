package client_test

import (
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/mesh-gateway/mesh-go/client"
)

// These benchmarks compare Send with plain net/http.

// peerServer has one peer and accepts every message. Its response bodies are constants,
// so that the benchmarks measure the client.
const (
	onePeer    = `{"peers": [{"name": "node-b", "url": "http://node-b", "capabilities": {}, "enabled": 1}]}`
	oneReceipt = `{"id": 7, "from_node": "node-a", "to_node": "node-b", "kind": "question", "thread_id": null,
		"x_channel": null, "x_mentions": null, "created_at": "2026-11-21T08:28:39.167872+00:00", "read_at": null}`
)

// peerServer is a server on loopback that counts connections and requests.
type peerServer struct {
	*httptest.Server
	connections, registryReads, messages atomic.Int64
}

func newPeerServer(b *testing.B) *peerServer {
	b.Helper()
	l := new(peerServer)
	l.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, count := oneReceipt, &l.messages
		if r.Method == http.MethodGet {
			body, count = onePeer, &l.registryReads
		}
		count.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	l.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			l.connections.Add(1)
		}
	}
	l.Start()
	b.Cleanup(l.Close)
	return l
}

// noNetwork is a transport that returns peerServer's responses.
type noNetwork struct{}

func (noNetwork) RoundTrip(req *http.Request) (*http.Response, error) {
	body := oneReceipt
	if req.Method == http.MethodGet {
		body = onePeer
	} else if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: req,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

// handWritten posts a message without an SDK: no scan, no registry, no check of the
// response.
func handWritten(ctx context.Context, c *http.Client, url string, m plainSend) (*plainMessage, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/messages", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	var receipt plainMessage
	return &receipt, json.NewDecoder(resp.Body).Decode(&receipt)
}

type plainSend struct {
	FromNode string `json:"from_node"`
	ToNode   string `json:"to_node"`
	Kind     string `json:"kind"`
	Content  string `json:"content"`
}

const benchContent = "The nightly build is green again; can you take the deploy from here? Everything it needs is in the usual place."

// senders are the two implementations. Each returns a function that sends one message
// through transport.
var senders = map[string]func(b testing.TB, url string, transport http.RoundTripper) func(context.Context) error{
	"mesh": func(b testing.TB, url string, transport http.RoundTripper) func(context.Context) error {
		b.Helper()
		opts := []client.Option{client.WithGatewayURL(url), client.WithToken(token)}
		if transport != nil {
			opts = append(opts, client.WithHTTPClient(&http.Client{Transport: transport}))
		}
		c, err := client.New("node-a", opts...)
		require.NoError(b, err)
		b.Cleanup(func() { _ = c.Close() })
		req := client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: benchContent}
		return func(ctx context.Context) error { _, err := c.Send(ctx, req); return err }
	},
	"baseline": func(b testing.TB, url string, transport http.RoundTripper) func(context.Context) error {
		b.Helper()
		if transport == nil {
			own := http.DefaultTransport.(*http.Transport).Clone()
			own.MaxIdleConnsPerHost = own.MaxIdleConns // as in package client; the default of two is too few here
			transport = own
		}
		c := &http.Client{Transport: transport, Timeout: client.DefaultTimeout}
		b.Cleanup(c.CloseIdleConnections)
		m := plainSend{FromNode: "node-a", ToNode: "node-b", Kind: "question", Content: benchContent}
		return func(ctx context.Context) error { _, err := handWritten(ctx, c, url, m); return err }
	},
}

// BenchmarkSend sends one message with a warm registry. impl=baseline posts the same
// message with plain net/http.
func BenchmarkSend(b *testing.B) {
	l := newPeerServer(b)
	for _, side := range []string{"mesh", "baseline"} {
		b.Run("impl="+side, func(b *testing.B) {
			benchSend(b, senders[side](b, l.URL, nil))
		})
	}
}

// BenchmarkSendAlone is BenchmarkSend without a network: it measures just the client.
func BenchmarkSendAlone(b *testing.B) {
	for _, side := range []string{"mesh", "baseline"} {
		b.Run("impl="+side, func(b *testing.B) {
			benchSend(b, senders[side](b, "http://gateway", noNetwork{}))
		})
	}
}

func benchSend(b *testing.B, send func(context.Context) error) {
	b.Helper()
	require.NoError(b, send(b.Context())) // warms the registry and the connection
	b.ReportAllocs()
	for b.Loop() {
		if err := send(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHundredSenders sends from 100 goroutines through one client. It reports the
// connections that were opened and how often the registry was read, which must be once at
// most.
func BenchmarkHundredSenders(b *testing.B) {
	for _, side := range []string{"mesh", "baseline"} {
		b.Run("impl="+side, func(b *testing.B) {
			l := newPeerServer(b)
			send := senders[side](b, l.URL, nil)
			var left atomic.Int64
			left.Store(int64(b.N))
			var all sync.WaitGroup
			b.ResetTimer()
			for range 100 {
				all.Go(func() {
					for left.Add(-1) >= 0 {
						assert.NoError(b, send(b.Context()))
					}
				})
			}
			all.Wait()
			b.StopTimer()
			require.EqualValues(b, b.N, l.messages.Load())
			require.LessOrEqual(b, l.registryReads.Load(), int64(1))
			b.ReportMetric(float64(l.connections.Load()), "connections")
			b.ReportMetric(float64(l.registryReads.Load()), "registry-reads")
		})
	}
}
