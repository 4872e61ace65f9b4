// Benchtable prints the scan's benchmarks as a Markdown table of ratios: how many times as fast as one regexp per rule.
//
//	go test -run='^$' -bench='^BenchmarkFind$' ./scan | go run ./scan/internal/benchtable
//
// A ratio compares two figures of one run, so it depends little on the machine. Where a benchmark ran more than once
// (-count), the fastest counts on both sides. The exit status is 1 when a ratio is below what is asked, and when there
// is nothing to print.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Stdin, os.Stdout, os.Stderr))
}

func run(in io.Reader, out, errs io.Writer) int {
	rows, machine, err := readRows(in)
	if err != nil {
		fmt.Fprintln(errs, "benchtable:", err)
		return 1
	}
	fmt.Fprintf(out, "Times as fast as one regexp per rule, in one run. %s.\n\n", machine)
	printTable(out, rows)
	failed := shortfalls(rows)
	for _, line := range failed {
		fmt.Fprintln(errs, "benchtable: below what is asked:", line)
	}
	if len(failed) > 0 {
		return 1
	}
	return 0
}
