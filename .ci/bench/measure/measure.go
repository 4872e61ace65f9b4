// Package measure counts CPU time and allocations for the programs that .ci/bench
// compares.
package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// Cost is the cost of Count operations. CPU is user and system time of the process in
// nanoseconds, which a busy machine changes less than elapsed time.
type Cost struct {
	Count, CPU, Allocs, Bytes int64
}

// ResultFile names the file that receives the cost, and CountVariable how often to run.
const (
	ResultFile    = "MESH_BENCH_RESULT"
	CountVariable = "MESH_BENCH_COUNT"
)

// Main measures the path that the first argument names. Each path prepares itself, and
// returns its operation.
func Main(paths map[string]func() func()) {
	prepare, ok := paths[os.Args[1]]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such path:", os.Args[1])
		os.Exit(2)
	}
	operation := prepare()
	operation() // fills caches and pools
	Write(operation)
}

// Write runs operation and writes the cost.
func Write(operation func()) {
	count, err := strconv.ParseInt(os.Getenv(CountVariable), 10, 64)
	Must(err)
	runtime.GC()
	before := now()
	for range count {
		operation()
	}
	after := now()
	text, err := json.Marshal(Cost{count, after.CPU - before.CPU, after.Allocs - before.Allocs, after.Bytes - before.Bytes})
	Must(err)
	Must(os.WriteFile(os.Getenv(ResultFile), text, 0o600))
}

// Must ends the program if there is an error.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func now() Cost {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	var used syscall.Rusage
	Must(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return Cost{CPU: used.Utime.Nano() + used.Stime.Nano(), Allocs: int64(memory.Mallocs), Bytes: int64(memory.TotalAlloc)}
}
