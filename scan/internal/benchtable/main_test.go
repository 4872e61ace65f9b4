package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// benchOutput is what go test prints for one input, the regexps at 4 MB/s.
func benchOutput(input string, scanMBs map[int]float64, allocs int) string {
	var b strings.Builder
	for _, size := range sizes {
		fmt.Fprintf(&b, "BenchmarkFind/%s/%d/scan-2   \t 100\t 50.00 ns/op\t%8.2f MB/s\t 0 B/op\t %d allocs/op\n", input, size, scanMBs[size], allocs)
		fmt.Fprintf(&b, "BenchmarkFind/%s/%d/regexps-2\t 100\t 50.00 ns/op\t 4.00 MB/s\t 7 B/op\t 1 allocs/op\n", input, size)
	}
	return b.String()
}

func evenly(mbs float64) map[int]float64 {
	return map[int]float64{200: mbs, 1_000: mbs, 10_000: mbs, 200_000: mbs}
}

func TestTable(t *testing.T) {
	in := "goos: linux\ngoarch: amd64\npkg: x\ncpu: Some CPU\n" +
		benchOutput("prose", evenly(2000), 0) + benchOutput("prose", evenly(8000), 0) + // the fastest run counts
		benchOutput("prose", evenly(3000), 0) +
		benchOutput("slashes", map[int]float64{200: 40, 1_000: 80, 10_000: 200, 200_000: 120}, 0) + "PASS\n"
	var out strings.Builder
	assert.NoError(t, run(strings.NewReader(in), &out))
	assert.Contains(t, out.String(), ", linux, amd64, Some CPU.\n")
	assert.Contains(t, out.String(), "| prose | 2000 | 2000 | 2000 | 2000 | 8.00 | 8.00 | 0 |\n")
	assert.Contains(t, out.String(), "| slashes | 10 | 20 | 50 | 30 | 0.20 | 0.12 | 0 |\n")
}

func TestShortfalls(t *testing.T) {
	for name, c := range map[string]struct {
		input string
		mbs   map[int]float64
		alloc int
		want  string
	}{
		"ratio of a clean input":   {"json", evenly(1999), 0, "json at 10000 B: 499.8 times, of 500"},
		"ratio of a hostile input": {"slashes", evenly(119), 0, "slashes at 200000 B: 29.8 times, of 30"},
		"slower when larger":       {"slashes", map[int]float64{10_000: 500, 200_000: 240}, 0, "slashes: 240 MB/s at 200 KB, 500 MB/s at 10 KB"},
		"an allocation":            {"code", evenly(8000), 1, "code at 10000 B: 1 allocations"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(strings.NewReader(benchOutput(c.input, c.mbs, c.alloc)), io.Discard)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestMissingFigures(t *testing.T) {
	assert.ErrorContains(t, run(strings.NewReader("FAIL\n"), io.Discard), "no benchmark")

	onlyScan := strings.ReplaceAll(benchOutput("hex", evenly(8000), 0), "/regexps", "/other")
	assert.ErrorContains(t, run(strings.NewReader(onlyScan), io.Discard), "hex at 200000 B: 0.0 times, of 100")
}
