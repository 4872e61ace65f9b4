package soak_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type sample struct {
	heap                    uint64 // bytes after a garbage collection
	goroutines, connections int
	entries                 int // in the ledger
}

func (s sample) String() string {
	return fmt.Sprintf("%d KB/%d/%d/%d", s.heap>>10, s.goroutines, s.connections, s.entries)
}

func (r *run) takeSample() sample {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees objects that the first GC moved out of pools
	runtime.ReadMemStats(&m)
	return sample{
		heap: m.HeapAlloc, goroutines: runtime.NumGoroutine(), connections: int(r.open.now.Load()), entries: r.ledger.entries(),
	}
}

// The first fifth of a run's samples is for warming up.
const samplesPerRun = 20

// takeSamples stops early if ctx ends.
func (r *run) takeSamples(ctx context.Context) {
	ticker := time.NewTicker(r.size.sending / samplesPerRun)
	defer ticker.Stop()
	for len(r.samples) < samplesPerRun {
		select {
		case <-ticker.C:
			r.samples = append(r.samples, r.takeSample())
		case <-ctx.Done():
			return
		}
	}
}

// earlyAndLate returns the smallest heap in the second and in the last fifth. It includes
// leaks, but few requests in progress.
func earlyAndLate(all []sample) (early, late sample) {
	fifth := len(all) / 5
	byHeap := func(a, b sample) int { return cmp.Compare(a.heap, b.heap) }
	return slices.MinFunc(all[fifth:2*fifth], byHeap), slices.MinFunc(all[len(all)-fifth:], byHeap)
}

// connections counts the clients' connections. A slow machine has more: unanswered ones
// were closed by a request's timeout, idle ones by the transport's.
type connections struct{ now, dialed, unanswered, idle atomic.Int64 }

// countConnections replaces the default transport until the test ends.
func countConnections(t *testing.T) *connections {
	t.Helper()
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	counted, c := before.(*http.Transport).Clone(), new(connections)
	dial := counted.DialContext
	counted.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c.now.Add(1)
		c.dialed.Add(1)
		own := &connection{Conn: conn}
		own.lastUse.Store(time.Now().UnixNano())
		own.count = sync.OnceFunc(func() { own.countIn(c) })
		return own, nil
	}
	http.DefaultTransport = counted
	return c
}

type connection struct {
	net.Conn
	count   func()
	waiting atomic.Bool  // a request was written, and nothing read since
	lastUse atomic.Int64 // in nanoseconds
}

func (c *connection) Read(data []byte) (int, error) {
	n, err := c.Conn.Read(data)
	c.use(false)
	return n, err
}

func (c *connection) Write(data []byte) (int, error) {
	c.use(true)
	return c.Conn.Write(data)
}

func (c *connection) use(waiting bool) {
	c.waiting.Store(waiting)
	c.lastUse.Store(time.Now().UnixNano())
}

func (c *connection) Close() error {
	c.count()
	return c.Conn.Close()
}

// longIdle is shorter than a client keeps idle connections.
const longIdle = 3 * time.Second

func (c *connection) countIn(all *connections) {
	all.now.Add(-1)
	if c.waiting.Load() {
		all.unanswered.Add(1)
	} else if time.Since(time.Unix(0, c.lastUse.Load())) > longIdle {
		all.idle.Add(1)
	}
}

// logCounter reads the clients' logs, where debug records are retries and warnings are
// full Watch polls.
type logCounter struct{ retries, warnings atomic.Int64 }

func (c *logCounter) Write(record []byte) (int, error) {
	if bytes.Contains(record, []byte("repeating a request")) {
		c.retries.Add(1)
	}
	if bytes.Contains(record, []byte("level=WARN")) {
		c.warnings.Add(1)
	}
	return len(record), nil
}
