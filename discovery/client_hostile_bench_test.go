// These benchmarks measure what a hostile server costs. docs/testing.md has some figures.

package discovery_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// BenchmarkHostileAliases reads a catalog in which one row has 40,000 or 80,000 aliases.
func BenchmarkHostileAliases(b *testing.B) {
	for _, n := range []int{40_000, 80_000} {
		c := serving(`[{"id":"many","aliases":` + aliases(n) + `},{"id":"plain"},{"id":"plain-2"}]`)
		b.Run(fmt.Sprintf("aliases=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := c.IsModelSupported(context.Background(), "plain", discovery.CatalogOptions{Refresh: true}); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// BenchmarkHostileUsage reads 1 MB of usage. x-body has the bytes allocated per body
// byte. Without the limits, 1 MB allocated 4 GB; with them, 17 MB.
func BenchmarkHostileUsage(b *testing.B) {
	var points []string
	for at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC); len(points) < 17_000; at = at.Add(time.Second) {
		points = append(points, point(at.Format(time.RFC3339), "0.5"))
	}
	for name, body := range map[string]string{
		"points":     series("Chat", points...),
		"long-label": series(strings.Repeat("x", 500_000), points[:8000]...),
	} {
		body := `{"timeSeries":[` + body + `],"limitReached":false}`
		c, q := serving(body), usageQuery()
		q.TimeUnit = discovery.TimeUnitSecond
		b.Run(name, func(b *testing.B) {
			allocated := totalAlloc()
			n := 0
			for b.Loop() {
				if buckets, err := c.FetchXAICostBuckets(context.Background(), q); len(buckets) == 0 && name == "points" || err != nil {
					b.Fatal(len(buckets), err)
				}
				n++
			}
			b.ReportMetric(float64(totalAlloc()-allocated)/float64(n)/float64(len(body)), "x-body")
		})
	}
}

// BenchmarkHostileAmounts adds 20,000 costs that alternate between 1 and 1E-6250. On
// 2026-11-22 it took 0.23 s and 14 MB.
func BenchmarkHostileAmounts(b *testing.B) {
	results := make([]string, 20_000)
	for i := range results {
		results[i] = result([]string{"1", "1E-6250"}[i%2], "")
	}
	c := serving(`{"object":"page","data":[` + costDay(0, results...) + `],"has_more":false}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.FetchOpenAICostBuckets(context.Background(), costQuery()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHostileCatalog reads a 32 MiB catalog with small rows; ###### becomes the row
// number. peak-MB is the largest live heap during the read. It was 240 MB on 2026-11-22.
func BenchmarkHostileCatalog(b *testing.B) {
	for name, row := range map[string]string{
		"ids": `{"id":"a"},`, "null": `null,`, "usual": `{"id":"a","info":{"name":"A model","description":"What it does"},"tags":["text"]},`,
		"many":     `{"id":"a","name":"b"` + strings.Repeat(" ", 46) + `},`,
		"distinct": `{"id":"######","name":"b"` + strings.Repeat(" ", 41) + `},`,
	} {
		var rows strings.Builder
		for i := range (32<<20 - 20) / len(row) {
			rows.WriteString(strings.Replace(row, "######", fmt.Sprintf("%06d", i), 1))
		}
		c := serving(`[` + strings.TrimSuffix(rows.String(), ",") + `]`)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				peak := peakHeap(func() { _, _ = c.ListModels(context.Background(), discovery.CatalogOptions{Refresh: true}) })
				b.ReportMetric(float64(peak)/1e6, "peak-MB")
			}
		})
	}
}

func totalAlloc() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// peakHeap returns how much the live heap grows at most while read runs. It collects
// garbage ten times a second, since the heap in use includes garbage.
func peakHeap(read func()) (peak uint64) {
	before := heap()
	done := make(chan struct{})
	go func() { defer close(done); read() }()
	for {
		select {
		case <-done:
			return peak
		case <-time.After(100 * time.Millisecond):
			if now := heap(); now > before {
				peak = max(peak, now-before)
			}
		}
	}
}
