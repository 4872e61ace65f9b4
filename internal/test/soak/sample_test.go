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

// sample is what this process holds at one moment.
type sample struct {
	heap                    uint64 // bytes after a collection
	goroutines, connections int
}

func (s sample) String() string {
	return fmt.Sprintf("%d KB/%d/%d", s.heap>>10, s.goroutines, s.connections)
}

func takeSample(open *connections) sample {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the second takes what the first only emptied out of the pools
	runtime.ReadMemStats(&m)
	return sample{heap: m.HeapAlloc, goroutines: runtime.NumGoroutine(), connections: int(open.now.Load())}
}

// samples is how many are taken in a run. The first fifth is warming up.
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

// earlyAndLate are the samples with the smallest heap of the second fifth and of the last. What leaks is in the smallest too;
// what happened to be under way is not.
func earlyAndLate(all []sample) (early, late sample) {
	fifth := len(all) / 5
	byHeap := func(a, b sample) int { return cmp.Compare(a.heap, b.heap) }
	return slices.MinFunc(all[fifth:2*fifth], byHeap), slices.MinFunc(all[len(all)-fifth:], byHeap)
}

// connections counts what clients with connections of their own dial: they copy net/http's default transport.
type connections struct{ now, dialled atomic.Int64 }

// countConnections changes a variable of the whole process until the test ends.
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

// diary takes the clients' logs and counts: a retry is a record at debug level, a full window of Watch a warning.
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
