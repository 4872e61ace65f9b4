package main

import (
	"bufio"
	"errors"
	"io"
	"runtime"
	"strconv"
	"strings"
)

var sizes = []int{200, 1_000, 10_000, 200_000}

// result is one line of go test -bench.
type result struct {
	mbs    float64
	allocs int
}

// row is one input, with the results of both sides by size.
type row struct {
	input         string
	scan, regexps map[int]result
}

// ratio is how many times as fast the scan is; 0 where a figure is missing.
func (r row) ratio(size int) float64 {
	regexps := r.regexps[size].mbs
	if regexps == 0 {
		return 0
	}
	return r.scan[size].mbs / regexps
}

// readRows reads the output of go test -bench, and names the machine that it ran on.
func readRows(in io.Reader) (rows []row, machine string, err error) {
	machine = runtime.Version()
	byInput := map[string]int{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "goos", "goarch", "cpu":
			machine += ", " + value
		}
		input, size, side, res, ok := parseLine(lines.Text())
		if !ok {
			continue
		}
		i, known := byInput[input]
		if !known {
			i = len(rows)
			byInput[input] = i
			rows = append(rows, row{input, map[int]result{}, map[int]result{}})
		}
		rows[i].add(side, size, res)
	}
	if len(rows) == 0 {
		return nil, "", errors.New("no benchmark in the input")
	}
	return rows, machine, lines.Err()
}

// add keeps the faster of two results, and the larger number of allocations.
func (r row) add(side string, size int, res result) {
	results := map[string]map[int]result{"scan": r.scan, "regexps": r.regexps}[side]
	if results == nil {
		return
	}
	old := results[size]
	results[size] = result{max(old.mbs, res.mbs), max(old.allocs, res.allocs)}
}

// parseLine reads a line such as
// "BenchmarkFind/prose/200/scan-2  100  52.1 ns/op  3838.77 MB/s  0 B/op  0 allocs/op".
func parseLine(line string) (input string, size int, side string, res result, ok bool) {
	fields := strings.Fields(line)
	if len(fields) != 10 || fields[5] != "MB/s" || fields[9] != "allocs/op" {
		return "", 0, "", result{}, false
	}
	name := strings.Split(fields[0], "/")
	if len(name) != 4 {
		return "", 0, "", result{}, false
	}
	side, _, _ = strings.Cut(name[3], "-")
	size, err1 := strconv.Atoi(name[2])
	mbs, err2 := strconv.ParseFloat(fields[4], 64)
	allocs, err3 := strconv.Atoi(fields[8])
	return name[1], size, side, result{mbs, allocs}, errors.Join(err1, err2, err3) == nil
}
