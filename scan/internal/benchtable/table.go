package main

import (
	"fmt"
	"strings"
)

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

// table is the rows in Markdown.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| input | 200 B | 1 KB | 10 KB | 200 KB | GB/s at 10 KB | at 200 KB | allocations |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |", r.input)
		for _, size := range sizes {
			fmt.Fprintf(&b, " %.0f |", r.ratio(size))
		}
		fmt.Fprintf(&b, " %.2f | %.2f | %d |\n", r.scan[10_000].mbs/1000, r.scan[200_000].mbs/1000, r.allocs())
	}
	return b.String()
}

// allocs is the most allocations that the scan made at any size.
func (r row) allocs() int {
	most := 0
	for _, res := range r.scan {
		most = max(most, res.allocs)
	}
	return most
}

// shortfalls lists the demands that are not met.
func shortfalls(rows []row) []string {
	var lines []string
	for _, r := range rows {
		demands, isClean := clean[r.input]
		if !isClean {
			demands = []demand{{200_000, hostileRatio, false}}
			lines = append(lines, r.slowdown()...)
		}
		for _, d := range demands {
			lines = append(lines, r.missed(d)...)
		}
	}
	return lines
}

func (r row) slowdown() []string {
	small, large := r.scan[10_000].mbs, r.scan[200_000].mbs
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
	if allocs := r.scan[d.size].allocs; d.noAlloc && allocs > 0 {
		lines = append(lines, fmt.Sprintf("%s at %d B: %d allocations", r.input, d.size, allocs))
	}
	return lines
}
