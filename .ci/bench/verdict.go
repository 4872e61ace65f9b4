package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/.ci/bench/measure"
)

// The highest ratios to the earlier cost.
const (
	mostCPU    = 1.3
	mostAllocs = 1.1
)

// pair is one run per commit, back to back.
type pair struct{ before, now measure.Cost }

// verdict is also the remark in the table.
type verdict string

const (
	passes verdict = ""
	fails  verdict = "slower"
)

const (
	pairs      = 5
	pairsAgain = 11
)

// decide measures a path that fails again, with more pairs, since machines are noisy.
func decide(run func(count int) ([]pair, error)) ([]pair, verdict, error) {
	all, err := run(pairs)
	if err == nil && judge(all) == fails {
		all, err = run(pairsAgain)
	}
	if err != nil {
		return nil, fails, err
	}
	return all, judge(all), nil
}

// judge decides by the pairs' median.
func judge(all []pair) verdict {
	if ratio(all, cpuOf) > mostCPU || ratio(all, allocsOf) > mostAllocs {
		return fails
	}
	return passes
}

// Costs per operation. allocsOf adds 1, so a base without allocations gives a finite
// ratio.
func cpuOf(c measure.Cost) float64    { return float64(c.CPU) / float64(c.Count) }
func allocsOf(c measure.Cost) float64 { return float64(c.Allocs)/float64(c.Count) + 1 }
func bytesOf(c measure.Cost) float64  { return float64(c.Bytes)/float64(c.Count) + 1 }

// ratio returns the pairs' median ratio.
func ratio(all []pair, of func(measure.Cost) float64) float64 {
	var ratios []float64
	for _, p := range all {
		ratios = append(ratios, of(p.now)/of(p.before))
	}
	return median(ratios)
}

// median needs an odd number of values.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func printPairs(name string, all []pair, remark verdict) {
	line := fmt.Sprintf("%-36s", name)
	for _, column := range []struct {
		of    func(measure.Cost) float64
		write func(float64) string
	}{{cpuOf, writeTime}, {allocsOf, writeCount}, {bytesOf, writeCount}} {
		var before, now []float64
		for _, p := range all {
			before, now = append(before, column.of(p.before)), append(now, column.of(p.now))
		}
		line += fmt.Sprintf(" %9s → %8s %5.2f", column.write(median(before)), column.write(median(now)), ratio(all, column.of))
	}
	fmt.Println(strings.TrimRight(line+"  "+string(remark), " "))
}

func printNew(name string, now measure.Cost, reason string) {
	fmt.Printf("%-36s %20s %26s %25s        new%s\n", name, writeTime(cpuOf(now)), writeCount(allocsOf(now)), writeCount(bytesOf(now)), reason)
}

func writeTime(nanoseconds float64) string {
	t := time.Duration(nanoseconds)
	switch {
	case t >= time.Second:
		return fmt.Sprintf("%.2f s", t.Seconds())
	case t >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", nanoseconds/1e6)
	}
	return fmt.Sprintf("%.1f µs", nanoseconds/1e3)
}

// writeCount undoes the 1 of [allocsOf].
func writeCount(count float64) string {
	switch count -= 1; {
	case count >= 1e7:
		return fmt.Sprintf("%.0f M", count/1e6)
	case count >= 1e5:
		return fmt.Sprintf("%.0f k", count/1e3)
	}
	return fmt.Sprintf("%.0f", count)
}
