package client_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
)

// These benchmarks measure what a hostile peer or gateway costs. docs/testing.md has some
// of the figures.

// body returns a response whose body isn't copied, so that only the client allocates.
func body(req *http.Request, parts ...string) *http.Response {
	var readers []io.Reader
	for _, part := range parts {
		readers = append(readers, strings.NewReader(part))
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: req,
		Body: io.NopCloser(io.MultiReader(readers...)), ContentLength: -1,
	}
}

func clientOf(b testing.TB, transport roundTrip) *client.MeshClient {
	b.Helper()
	c, err := client.New("node-a", client.WithGatewayURL("http://gateway"), client.WithToken(token),
		client.WithRegistryTTL(0), client.WithHTTPClient(&http.Client{Transport: transport}))
	require.NoError(b, err)
	b.Cleanup(func() { _ = c.Close() })
	return c
}

// BenchmarkHostileRegistry sends a message while a peer's capabilities take 33 MB.
func BenchmarkHostileRegistry(b *testing.B) {
	advert := strings.Repeat(`"capability":{"name":[1,2,3]},`, 33<<20/30)
	c := clientOf(b, func(req *http.Request) (*http.Response, error) {
		if req.Method == http.MethodPost {
			return body(req, oneReceipt), nil
		}
		return body(req, `{"peers":[{"name":"hog","capabilities":{`, advert, `"last":0}},{"name":"node-b"}]}`), nil
	})
	b.SetBytes(int64(len(advert)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Send(b.Context(), hello("node-b")); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHostileInbox receives 170 messages with 200,000 characters each with Watch:
// the whole inbox exceeds the size limit, so Watch must fetch fewer messages at a time.
func BenchmarkHostileInbox(b *testing.B) {
	const messages = 170
	rows := make([]string, messages)
	for i := range rows {
		id := messages - i // the newest first
		rows[i] = fmt.Sprintf(`{"id":%d,"from_node":"node-b","to_node":"node-a","kind":"fyi","created_at":"2026-05-01T00:00:00.%06d+00:00","content":"%s"},`,
			id, id, strings.Repeat("ü", 200_000))
	}
	b.ReportAllocs()
	for b.Loop() {
		unread, read := rows, 0
		c := clientOf(b, func(req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPost {
				unread = unread[:len(unread)-1]
				return body(req, `{}`), nil
			}
			limit := 0
			_, _ = fmt.Sscan(req.URL.Query().Get("limit"), &limit)
			// The oldest message has to be within the limit, as after the newer ones have
			// been read.
			window := unread[max(0, len(unread)-limit):]
			return body(req, append(append([]string{`{"messages":[`}, window[:len(window)-1]...), strings.TrimSuffix(window[len(window)-1], ","), `]}`)...), nil
		})
		for m, err := range agent.Watch(b.Context(), c, agent.WatchOptions{Interval: time.Millisecond}) {
			if err != nil {
				b.Fatal(err)
			}
			if err := c.MarkRead(b.Context(), m.ID); err != nil {
				b.Fatal(err)
			}
			if read++; read == messages {
				break
			}
		}
	}
}

// BenchmarkHostileWindows polls 200 full windows with 1,000 messages each, all with new
// ids. held-B is the memory that Watch holds after 200,000 messages.
func BenchmarkHostileWindows(b *testing.B) {
	const windows, perWindow = 200, 1000
	for b.Loop() {
		next := 0
		c := clientOf(b, func(req *http.Request) (*http.Response, error) {
			rows := make([]string, perWindow)
			for i := range rows {
				next++
				rows[perWindow-1-i] = row(next, "node-b")
			}
			return body(req, "[", strings.Join(rows, ","), "]"), nil
		})
		n, before := 0, liveHeap()
		for _, err := range agent.Watch(b.Context(), c, agent.WatchOptions{Interval: time.Millisecond}) {
			if err != nil {
				b.Fatal(err)
			}
			if n++; n == windows*perWindow {
				b.ReportMetric(float64(liveHeap())-float64(before), "held-B")
				break
			}
		}
	}
}

// liveHeap returns the heap bytes in use.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkCloseOfWatch closes a client while 100 Watches pause for an hour, and waits
// for all of them.
func BenchmarkCloseOfWatch(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		c := clientOf(b, func(req *http.Request) (*http.Response, error) { return body(req, `[]`), nil })
		const watches = 100
		ended := make(chan struct{}, watches)
		for range watches {
			go func() {
				for range agent.Watch(b.Context(), c, agent.WatchOptions{Interval: time.Hour}) {
				}
				ended <- struct{}{}
			}()
		}
		time.Sleep(20 * time.Millisecond) // the polls are over
		b.StartTimer()
		_ = c.Close()
		for range watches {
			<-ended
		}
	}
}
