//go:build unix

package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// BenchmarkSum adds up a million records by day and model. impl=duckdb reads the same file with a given schema, which is faster than
// detecting it. peak-MB is the memory that Go has obtained.
func BenchmarkSum(b *testing.B) {
	dir := writeCalls(b, 1_000_000)
	info, err := os.Stat(filepath.Join(dir, "calls.jsonl"))
	require.NoError(b, err)
	b.Run("impl=mesh", func(b *testing.B) {
		b.SetBytes(info.Size())
		began := cpuTime()
		defer func() { b.ReportMetric((cpuTime()-began).Seconds()/float64(b.N), "cpu-s/op") }()
		for b.Loop() {
			_, err := meter.Sum(nil, meter.SumOptions{By: []string{"day", "model"}}, dir)
			require.NoError(b, err)
		}
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		b.ReportMetric(float64(memory.Sys)/(1<<20), "peak-MB")
	})
	b.Run("impl=duckdb", func(b *testing.B) {
		db, err := sql.Open("duckdb", "")
		require.NoError(b, err)
		defer db.Close()
		b.SetBytes(info.Size())
		began := cpuTime()
		defer func() { b.ReportMetric((cpuTime()-began).Seconds()/float64(b.N), "cpu-s/op") }()
		for b.Loop() {
			_, err := fileSums(b.Context(), db, dir)
			require.NoError(b, err)
		}
	})
}

// cpuTime returns the processor time of this process, which a loaded machine changes less than the elapsed time.
func cpuTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
