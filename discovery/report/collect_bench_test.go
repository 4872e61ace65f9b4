//go:build unix

package report_test

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

// writeRecords writes n records of 90 days to a file in a new folder.
func writeRecords(tb testing.TB, n int) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	file, err := os.Create(filepath.Join(dir, "calls.jsonl"))
	require.NoError(tb, err)
	out := bufio.NewWriter(file)
	lines, random := json.NewEncoder(out), rand.New(rand.NewPCG(1, 2))
	for range n {
		require.NoError(tb, lines.Encode(record(random, 90)))
	}
	require.NoError(tb, out.Flush())
	require.NoError(tb, file.Close())
	return dir
}

// BenchmarkRead reads 300,000 calls, and adds them up by day and model with calls.Sum in turn, so that both have the same load of the
// machine. cpu-ratio is that of the fastest run of each; peak-MB is the memory that Go has obtained.
func BenchmarkRead(b *testing.B) {
	dir := writeRecords(b, 300_000)
	fastest := map[string]time.Duration{}
	measure := func(name string, run func() error) {
		began := cpuTime()
		require.NoError(b, run())
		if used := cpuTime() - began; fastest[name] == 0 || used < fastest[name] {
			fastest[name] = used
		}
	}
	for b.Loop() {
		measure("sum", func() error {
			_, err := calls.Sum(calls.SumOptions{By: [][]string{{"day", "model"}}}, dir)
			return err
		})
		measure("read", func() error {
			_, err := report.Read(report.Options{Now: now, Budgets: []string{"750/month"}}, dir)
			return err
		})
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.Sys)/(1<<20), "peak-MB")
	b.ReportMetric(fastest["sum"].Seconds(), "sum-cpu-s")
	b.ReportMetric(fastest["read"].Seconds(), "read-cpu-s")
	b.ReportMetric(fastest["read"].Seconds()/fastest["sum"].Seconds(), "cpu-ratio")
}

// cpuTime returns the processor time of this process, which a loaded machine changes less than the elapsed time.
func cpuTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
