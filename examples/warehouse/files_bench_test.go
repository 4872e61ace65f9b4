//go:build unix

package main

import (
	"database/sql"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// BenchmarkSum sums a million records by day and model, alternating between calls.Sum and
// DuckDB so that both see the same machine load. DuckDB gets a schema, which is faster
// than detecting it. time-ratio and cpu-ratio divide Sum's fastest run by DuckDB's;
// peak-MB is the memory that Go has obtained.
func BenchmarkSum(b *testing.B) {
	dir := writeCalls(b, 1_000_000)
	db, err := sql.Open("duckdb", "")
	require.NoError(b, err)
	defer db.Close()
	var sum, duckdb fastest
	for b.Loop() {
		require.NoError(b, sum.measure(func() error {
			_, err := calls.Sum(calls.Options{By: [][]string{{"day", "model"}}}, dir)
			return err
		}))
		require.NoError(b, duckdb.measure(func() error {
			_, err := fileSums(b.Context(), db, dir)
			return err
		}))
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.Sys)/(1<<20), "peak-MB")
	b.ReportMetric(sum.elapsed.Seconds(), "sum-s")
	b.ReportMetric(duckdb.elapsed.Seconds(), "duckdb-s")
	b.ReportMetric(sum.cpu.Seconds(), "sum-cpu-s")
	b.ReportMetric(duckdb.cpu.Seconds(), "duckdb-cpu-s")
	b.ReportMetric(sum.elapsed.Seconds()/duckdb.elapsed.Seconds(), "time-ratio")
	b.ReportMetric(sum.cpu.Seconds()/duckdb.cpu.Seconds(), "cpu-ratio")
}

// fastest has the shortest times from several runs, which other processes delayed least.
type fastest struct{ elapsed, cpu time.Duration }

func (f *fastest) measure(run func() error) error {
	began, cpu := time.Now(), cpuTime()
	err := run()
	elapsed, used := time.Since(began), cpuTime()-cpu
	if f.cpu == 0 {
		f.elapsed, f.cpu = elapsed, used
	}
	f.elapsed, f.cpu = min(f.elapsed, elapsed), min(f.cpu, used)
	return err
}

// cpuTime returns this process's processor time, which varies less than elapsed time on a
// loaded machine.
func cpuTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
