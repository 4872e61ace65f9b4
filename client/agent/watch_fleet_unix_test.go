//go:build unix

package agent_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// BenchmarkFleet runs nodes and the test gateway in one process, over loopback. An
// iteration takes a second. docs/scale.md has the results. With -short, intervals of five
// seconds are left out.
func BenchmarkFleet(b *testing.B) {
	for _, row := range []struct {
		nodes    int
		interval time.Duration
	}{{50, time.Second}, {50, 5 * time.Second}, {1000, time.Second}, {1000, 5 * time.Second}} {
		if testing.Short() && row.interval > time.Second {
			continue
		}
		b.Run(fmt.Sprintf("nodes=%d/interval=%v", row.nodes, row.interval), func(b *testing.B) {
			var requests atomic.Int64
			g := gatewaytest.New(b, gatewaytest.WithoutRequestLog())
			g.FailIf(func(gatewaytest.Request) *gatewaytest.Fault { requests.Add(1); return nil })
			ctx, stop := context.WithCancel(context.Background())
			var running sync.WaitGroup
			for i := range row.nodes {
				c, err := client.New(fmt.Sprintf("node-%d", i), g.Options()...)
				require.NoError(b, err)
				running.Go(func() {
					defer c.Close()
					for range agent.Watch(ctx, c, agent.WatchOptions{Interval: row.interval}) {
					}
				})
			}
			time.Sleep(row.interval) // until the first polls are spread
			before, used := requests.Load(), cpuTime(b)
			for b.Loop() {
				time.Sleep(time.Second)
			}
			b.ReportMetric(float64(requests.Load()-before)/b.Elapsed().Seconds(), "requests/s")
			b.ReportMetric((cpuTime(b)-used).Seconds()/b.Elapsed().Seconds(), "cores")
			stop()
			running.Wait()
		})
	}
}

// cpuTime returns the time that this process has used so far.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
