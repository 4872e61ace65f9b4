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

// sample is the state of this process at one time.
type sample struct {
	heap                    uint64 // bytes after a garbage collection
	goroutines, connections int
}

func (s sample) String() string {
	return fmt.Sprintf("%d KB/%d/%d", s.heap>>10, s.goroutines, s.connections)
}

func takeSample(open *connections) sample {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the second one frees what the first one moved out of the pools
	runtime.ReadMemStats(&m)
	return sample{heap: m.HeapAlloc, goroutines: runtime.NumGoroutine(), connections: int(open.now.Load())}
}

// samples is the number of samples of a run. The first fifth is for warming up.
const samples = 20

func takeSamples(ctx context.Context, period time.Duration, open *connections) []sample {
	all := make([]sample, 0, samples)
	ticker := time.NewTicker(period / samples)
	defer ticker.Stop()
	for len(all) < samples {
		select {
		case <-ticker.C:
			all = append(all, takeSample(open))
		case <-ctx.Done():
			return all
		}
	}
	return all
}

// earlyAndLate returns the samples with the smallest heap of the second and of the last fifth. The smallest heap includes leaks
// but few requests in progress.
func earlyAndLate(all []sample) (early, late sample) {
	fifth := len(all) / 5
	byHeap := func(a, b sample) int { return cmp.Compare(a.heap, b.heap) }
	return slices.MinFunc(all[fifth:2*fifth], byHeap), slices.MinFunc(all[len(all)-fifth:], byHeap)
}

// connections counts the connections of clients with the default transport.
type connections struct{ now, dialled atomic.Int64 }

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
		c.dialled.Add(1)
		return &connection{Conn: conn, close: sync.OnceFunc(func() { c.now.Add(-1) })}, nil
	}
	http.DefaultTransport = counted
	return c
}

type connection struct {
	net.Conn
	close func()
}

func (c *connection) Close() error {
	c.close()
	return c.Conn.Close()
}

// diary receives the logs of the clients and counts: debug records are retries, warnings are full polls of Watch.
type diary struct{ retries, warnings atomic.Int64 }

func (d *diary) Write(record []byte) (int, error) {
	if bytes.Contains(record, []byte("repeating a request")) {
		d.retries.Add(1)
	}
	if bytes.Contains(record, []byte("level=WARN")) {
		d.warnings.Add(1)
	}
	return len(record), nil
}
