package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// result is what one benchmark measured, by unit: ns/op, MB/s, allocs/op, and what it reports itself.
type result map[string]float64

// results holds them by the name of the benchmark, without the number of processors.
type results struct {
	names  []string // in the order in which they first ran
	byName map[string]result
}

// failed is what go test prints when the figures before and after are not to be relied on.
var failed = regexp.MustCompile(`^(--- FAIL|FAIL\b|panic: )`)

// readResults reads the output of go test -bench, and names the machine that it ran on.
func readResults(in io.Reader) (all results, machine string, err error) {
	all.byName = map[string]result{}
	about := map[string]string{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if failed.MatchString(lines.Text()) {
			return all, "", fmt.Errorf("a benchmark failed: %s", lines.Text())
		}
		if key, value, ok := strings.Cut(lines.Text(), ": "); ok {
			about[key] = value
		}
		if name, r, ok := parseLine(lines.Text()); ok {
			all.add(name, r)
		}
	}
	if len(all.names) == 0 {
		return all, "", errors.New("no benchmark in the input")
	}
	machine = strings.Join([]string{runtime.Version(), about["goos"], about["goarch"], about["cpu"]}, ", ")
	return all, machine, lines.Err()
}

// parseLine reads a line such as
// "BenchmarkFind/prose/200/scan-2  100  52.1 ns/op  3838.77 MB/s  0 B/op  0 allocs/op".
func parseLine(line string) (name string, r result, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
		return "", nil, false
	}
	r = result{}
	for i := 2; i < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return "", nil, false
		}
		r[fields[i+1]] = value
	}
	if dash := strings.LastIndexByte(fields[0], '-'); dash > 0 {
		if _, err := strconv.Atoi(fields[0][dash+1:]); err == nil {
			return fields[0][:dash], r, true
		}
	}
	return fields[0], r, true
}

// add keeps the better speed of two results, and the larger of everything else.
func (all *results) add(name string, r result) {
	old, known := all.byName[name]
	if !known {
		all.names = append(all.names, name)
		all.byName[name] = r
		return
	}
	for unit, value := range r {
		if unit == "ns/op" {
			old[unit] = min(old[unit], value)
			continue
		}
		old[unit] = max(old[unit], value)
	}
}
