package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The scan was measured on inputs of these sizes, in bytes.
var sizes = []int{200, 1_000, 10_000, 200_000}

// demand is what one input must reach at one size.
type demand struct {
	size    int
	ratio   float64
	noAlloc bool
}

// clean holds the demands on inputs without a key. Every other input is hostile.
var clean = map[string][]demand{
	"prose":  {{200, 500, true}, {10_000, 1000, true}},
	"code":   {{10_000, 1000, true}},
	"json":   {{10_000, 500, false}},
	"base64": {{200_000, 100, false}},
	"hex":    {{200_000, 100, false}},
}

// A hostile input must reach this ratio at the largest size, and keep half the speed that it has at 10 KB.
const (
	hostileRatio    = 30
	hostileSlowdown = 2
)

// row is one input of BenchmarkFind.
type row struct {
	input string
	all   results
}

// scanTable is the scan beside one regexp per rule, input by input, and what of it is below the demands.
func scanTable(all results) (table string, short []string) {
	var b strings.Builder
	b.WriteString("| input | 200 B | 1 KB | 10 KB | 200 KB | GB/s at 10 KB | at 200 KB | allocations |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|\n")
	rows := scanRows(all)
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |", r.input)
		for _, size := range sizes {
			fmt.Fprintf(&b, " %.0f |", r.ratio(size))
		}
		fmt.Fprintf(&b, " %.2f | %.2f | %.0f |\n", r.speed(10_000)/1000, r.speed(200_000)/1000, r.allocs())
		short = append(short, r.shortfalls()...)
	}
	for _, input := range slices.Sorted(maps.Keys(clean)) {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.input == input }) {
			short = append(short, input+" was not measured")
		}
	}
	return b.String(), short
}

// scanRows lists the inputs of BenchmarkFind/input/size/side in the order in which they ran.
func scanRows(all results) []row {
	var rows []row
	for _, name := range all.names {
		part := strings.Split(name, "/")
		if len(part) != 4 || part[0] != "BenchmarkFind" {
			continue
		}
		if len(rows) == 0 || rows[len(rows)-1].input != part[1] {
			rows = append(rows, row{part[1], all})
		}
	}
	return rows
}

func (r row) at(size int, side string) result {
	return r.all.byName[fmt.Sprintf("BenchmarkFind/%s/%d/%s", r.input, size, side)]
}

// speed is the scan's, in MB/s.
func (r row) speed(size int) float64 { return r.at(size, "scan")["MB/s"] }

// ratio is how many times as fast the scan is; 0 where a figure is missing.
func (r row) ratio(size int) float64 {
	regexps := r.at(size, "regexps")["MB/s"]
	if regexps == 0 {
		return 0
	}
	return r.speed(size) / regexps
}

// allocs is the most allocations that the scan made at any size.
func (r row) allocs() float64 {
	most := 0.0
	for _, size := range sizes {
		most = max(most, r.at(size, "scan")["allocs/op"])
	}
	return most
}

// shortfalls lists the demands that are not met.
func (r row) shortfalls() []string {
	var lines []string
	demands, isClean := clean[r.input]
	if !isClean {
		demands = []demand{{200_000, hostileRatio, false}}
		lines = append(lines, r.slowdown()...)
	}
	for _, d := range demands {
		lines = append(lines, r.missed(d)...)
	}
	return lines
}

func (r row) slowdown() []string {
	small, large := r.speed(10_000), r.speed(200_000)
	if large*hostileSlowdown >= small {
		return nil
	}
	return []string{fmt.Sprintf("%s: %.0f MB/s at 200 KB, %.0f MB/s at 10 KB", r.input, large, small)}
}

func (r row) missed(d demand) []string {
	var lines []string
	if ratio := r.ratio(d.size); ratio < d.ratio {
		lines = append(lines, fmt.Sprintf("%s at %d B: %.1f times, of %.0f", r.input, d.size, ratio, d.ratio))
	}
	if allocs, known := r.at(d.size, "scan")["allocs/op"]; d.noAlloc && (allocs > 0 || !known) {
		lines = append(lines, fmt.Sprintf("%s at %d B: %.0f allocations", r.input, d.size, allocs))
	}
	return lines
}
