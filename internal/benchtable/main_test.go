package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// findOutput is what go test prints for one input of the scan, the regexps at 4 MB/s.
func findOutput(input string, scanMBs map[int]float64, allocs int) string {
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

func TestScanTable(t *testing.T) {
	in := "goos: linux\ngoarch: amd64\npkg: x\ncpu: Some CPU\n" +
		findOutput("prose", evenly(2000), 0) + findOutput("prose", evenly(8000), 0) + // the fastest run counts
		findOutput("prose", evenly(3000), 0) +
		findOutput("sk-", map[int]float64{200: 40, 1_000: 80, 10_000: 200, 200_000: 120}, 0) + "PASS\n"
	var out strings.Builder
	for _, input := range []string{"code", "json", "base64", "hex"} {
		in = findOutput(input, evenly(8000), 0) + in
	}
	require.NoError(t, run("scan", strings.NewReader(in), &out))
	assert.Contains(t, out.String(), ", linux, amd64, Some CPU.\n")
	assert.Contains(t, out.String(), "| prose | 2000 | 2000 | 2000 | 2000 | 8.00 | 8.00 | 0 |\n")
	assert.Contains(t, out.String(), "| sk- | 10 | 20 | 50 | 30 | 0.20 | 0.12 | 0 |\n")
}

func TestScanShortfalls(t *testing.T) {
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
			err := run("scan", strings.NewReader(findOutput(c.input, c.mbs, c.alloc)), io.Discard)
			assert.ErrorContains(t, err, c.want)
		})
	}
	onlyScan := strings.ReplaceAll(findOutput("hex", evenly(8000), 0), "/regexps", "/other")
	assert.ErrorContains(t, run("scan", strings.NewReader(onlyScan), io.Discard), "hex at 200000 B: 0.0 times, of 100")
	assert.ErrorContains(t, run("scan", strings.NewReader("BenchmarkSend/mesh-go 1 5 ns/op\n"), io.Discard), "prose was not measured")
}

// pairsOutput is every benchmark of the table, ours at half of the time that is asked and the baseline at 1 ms.
func pairsOutput() map[string]string {
	lines, ns := map[string]string{}, map[string]float64{}
	for _, p := range pairs {
		if _, known := ns[p.baseline]; !known {
			ns[p.baseline] = 1_000_000
			lines[p.baseline] = "1000000 ns/op\t10 B/op\t100 allocs/op"
		}
		ns[p.ours] = ns[p.baseline] * max(p.time, 1/1000.0) / 2
		lines[p.ours] = fmt.Sprintf("%f ns/op\t10 B/op\t110 allocs/op", ns[p.ours])
	}
	lines["BenchmarkHundredSenders/mesh-go"] += "\t 100 connections\t 1 registry-reads"
	return lines
}

func ratiosOf(lines map[string]string) (string, error) {
	var in, out strings.Builder
	for name, figures := range lines {
		fmt.Fprintf(&in, "%s-16\t 100\t%s\n", name, figures)
	}
	err := run("ratios", strings.NewReader(in.String()), &out)
	return out.String(), err
}

func TestRatioTable(t *testing.T) {
	table, err := ratiosOf(pairsOutput())
	require.NoError(t, err)
	assert.Contains(t, table, "| send a message, warm registry / POST written by hand | 575 µs | 1 ms | 0.57 | 1.15 | 1.10 | 1.30 |\n")
	assert.Contains(t, table, "| scan 10 KB of prose | 500 ns | 1 ms | 1/2000 | 1/1000 | 1.10 | - |\n")
	assert.Contains(t, table, "\nBenchmarkHundredSenders/mesh-go: 1 registry-reads, at most 1.\n")
}

func TestRatioShortfalls(t *testing.T) {
	for name, c := range map[string]struct{ benchmark, figures, want string }{
		"time":        {"BenchmarkSend/mesh-go", "1160000 ns/op 110 allocs/op", "1.160 times the time, at most 1.15"},
		"allocations": {"BenchmarkInbox/mesh-go", "300000 ns/op 201 allocs/op", "2.010 times the allocations, at most 2.00"},
		"no allocs":   {"BenchmarkInbox/mesh-go", "300000 ns/op", "0.000 times the allocations"},
		"missing":     {"BenchmarkReadPrices/mesh-go", "", "read and price 600 SKUs / decode into maps: 0.000 times the time"},
		"connections": {"BenchmarkHundredSenders/mesh-go", "10 ns/op 201 connections 1 registry-reads", "201 connections, at most 200"},
		"unreported":  {"BenchmarkHundredSenders/mesh-go", "10 ns/op 100 connections", "0 registry-reads, at most 1"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := pairsOutput()
			lines[c.benchmark] = c.figures
			_, err := ratiosOf(lines)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestInputThatIsNone(t *testing.T) {
	assert.ErrorContains(t, run("scan", strings.NewReader("PASS\n"), io.Discard), "no benchmark")
	for _, line := range []string{"FAIL", "--- FAIL: BenchmarkX", "FAIL\tpackage [build failed]", "panic: oh"} {
		in := "BenchmarkX 1 5 ns/op\n" + line + "\nBenchmarkY 1 5 ns/op\n"
		assert.ErrorContains(t, run("scan", strings.NewReader(in), io.Discard), "a benchmark failed: "+line)
	}
	assert.ErrorContains(t, run("speed", strings.NewReader("BenchmarkX 1 5 ns/op\n"), io.Discard), `no table is called "speed"`)
}
