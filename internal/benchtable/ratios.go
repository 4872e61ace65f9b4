package main

import (
	"fmt"
	"strings"
)

// pair is two benchmarks of one run, and how much of the baseline's time and allocations ours may take. 0 asks nothing.
type pair struct {
	what, ours, baseline string
	time, allocs         float64
}

// pairs is the table, in its order. The demands on the scan are stricter in [scanTable], which has all its inputs.
var pairs = []pair{
	{"send a message, warm registry / POST written by hand", "BenchmarkSend/mesh-go", "BenchmarkSend/net-http", 1.15, 1.3},
	{"the same without a network", "BenchmarkSendAlone/mesh-go", "BenchmarkSendAlone/net-http", 0, 1.3},
	{"100 concurrent senders / POST written by hand", "BenchmarkHundredSenders/mesh-go", "BenchmarkHundredSenders/net-http", 1.15, 0},
	{"decode an inbox of 1,000, unknown fields kept / plain structs", "BenchmarkInbox/mesh-go", "BenchmarkInbox/encoding-json-plain", 0.6, 2},
	{"read and index a catalog of 1,000 / decode plain structs", "BenchmarkReadCatalog/mesh-go", "BenchmarkReadCatalog/encoding-json-plain", 1, 0},
	{"look a model up among 1,000 / walk the list", "BenchmarkWarmLookup/IsModelSupported/models=1000", "BenchmarkWarmLookup/walk/models=1000", 0.1, 0},
	{"the same among 10,000 / among 1,000", "BenchmarkWarmLookup/IsModelSupported/models=10000", "BenchmarkWarmLookup/IsModelSupported/models=1000", 1.5, 0},
	{"read and price 600 SKUs / decode into maps", "BenchmarkReadPrices/mesh-go", "BenchmarkReadPrices/encoding-json-any", 0, 0},
	{"read and add up 180 days of costs / decode plain structs", "BenchmarkCostPage/mesh-go/results=5", "BenchmarkCostPage/encoding-json-plain/results=5", 0, 0},
	{"scan 200 B of prose / twelve regexps", "BenchmarkFind/prose/200/scan", "BenchmarkFind/prose/200/regexps", 1 / 500.0, 0},
	{"scan 10 KB of prose", "BenchmarkFind/prose/10000/scan", "BenchmarkFind/prose/10000/regexps", 1 / 1000.0, 0},
	{"scan 10 KB of code", "BenchmarkFind/code/10000/scan", "BenchmarkFind/code/10000/regexps", 1 / 1000.0, 0},
	{"scan 10 KB of JSON", "BenchmarkFind/json/10000/scan", "BenchmarkFind/json/10000/regexps", 1 / 500.0, 0},
	{"scan 200 KB of base64", "BenchmarkFind/base64/200000/scan", "BenchmarkFind/base64/200000/regexps", 1 / 100.0, 0},
	{"scan 200 KB of `sk-` repeated", "BenchmarkFind/sk-/200000/scan", "BenchmarkFind/sk-/200000/regexps", 1 / 30.0, 0},
}

// limit is the most that a benchmark may report under a unit of its own.
type limit struct {
	benchmark, unit string
	most            float64
}

// A hundred senders need a hundred connections. net/http dials some more at the start, when a connection comes back while
// the dial for the next message is under way; after that, messages by the thousand are to need no other.
var limits = []limit{
	{"BenchmarkHundredSenders/mesh-go", "connections", 200},
	{"BenchmarkHundredSenders/mesh-go", "registry-reads", 1},
}

// ratioTable is ours beside the baseline, pair by pair, and what of it is worse than asked.
func ratioTable(all results) (table string, short []string) {
	var b strings.Builder
	b.WriteString("| ours / baseline | ours | baseline | time, times | asked | allocations, times | asked |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|\n")
	for _, p := range pairs {
		ours, baseline := all.byName[p.ours], all.byName[p.baseline]
		time, allocs := ratio(ours, baseline, "ns/op"), ratio(ours, baseline, "allocs/op")
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", p.what, duration(ours["ns/op"]), duration(baseline["ns/op"]),
			times(time), times(p.time), allocations(ours, allocs), times(p.allocs))
		short = append(short, p.missed(time, allocs)...)
	}
	for _, l := range limits {
		got, known := all.byName[l.benchmark][l.unit]
		fmt.Fprintf(&b, "\n%s: %.0f %s, at most %.0f.\n", l.benchmark, got, l.unit, l.most)
		if !known || got > l.most {
			short = append(short, fmt.Sprintf("%s: %.0f %s, at most %.0f", l.benchmark, got, l.unit, l.most))
		}
	}
	return b.String(), short
}

// missed lists what is worse than asked. A ratio of 0 stands for a figure that is missing.
func (p pair) missed(time, allocs float64) []string {
	var lines []string
	if time == 0 || p.time > 0 && time > p.time {
		lines = append(lines, fmt.Sprintf("%s: %.3f times the time, at most %s", p.what, time, times(p.time)))
	}
	if p.allocs > 0 && (allocs == 0 || allocs > p.allocs) {
		lines = append(lines, fmt.Sprintf("%s: %.3f times the allocations, at most %s", p.what, allocs, times(p.allocs)))
	}
	return lines
}

func ratio(ours, baseline result, unit string) float64 {
	if baseline[unit] == 0 {
		return 0
	}
	return ours[unit] / baseline[unit]
}

// times writes a ratio: 1.08, but 1/3498 for what is far below one, and a dash for none.
func times(ratio float64) string {
	switch {
	case ratio == 0:
		return "-"
	case ratio < 0.1:
		return fmt.Sprintf("1/%.0f", 1/ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

// allocations writes their ratio, or says that ours has none.
func allocations(ours result, ratio float64) string {
	if n, known := ours["allocs/op"]; known && n == 0 {
		return "none"
	}
	return times(ratio)
}

// duration writes nanoseconds with three digits, in the unit that suits them.
func duration(ns float64) string {
	switch {
	case ns >= 1e6:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	case ns >= 1e3:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	}
	return fmt.Sprintf("%.3g ns", ns)
}
