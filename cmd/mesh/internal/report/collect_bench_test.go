//go:build unix

package report_test

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// writeRecords writes n records from 90 days to a file in a new directory.
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

// BenchmarkRead reads 100,000 calls, alternating with calls.Sum by day and model, so that
// both see the same machine load. cpu-ratio compares the fastest runs; peak-MB is the
// memory that Go has obtained.
func BenchmarkRead(b *testing.B) {
	dir := writeRecords(b, 100_000)
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
			_, err := calls.Sum(calls.Options{By: [][]string{{"day", "model"}}}, dir)
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

// BenchmarkReadNames reads 300,000 calls. Three labels have a new value in each. peak-MB
// is the memory that Go has obtained, usually 220 to 250 MB.
func BenchmarkReadNames(b *testing.B) {
	dir := b.TempDir()
	file, err := os.Create(filepath.Join(dir, "calls.jsonl"))
	require.NoError(b, err)
	lines := json.NewEncoder(file)
	for i := range 300_000 {
		r, name := priced(at(i%50), "0.001"), strconv.Itoa(i)
		r.Labels = map[string]string{"user": "user-" + name, "project": "project-" + name, "thread": "thread-" + name}
		require.NoError(b, lines.Encode(r))
	}
	require.NoError(b, file.Close())
	for b.Loop() {
		_, err := report.Read(report.Options{Now: now}, dir)
		require.NoError(b, err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.Sys)/(1<<20), "peak-MB")
}

// cpuTime returns this process's processor time, which varies less than elapsed time on a
// loaded machine.
func cpuTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
