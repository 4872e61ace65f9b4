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
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("benchtable: ")
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run prints the table, and returns what is wrong with it.
func run(in io.Reader, out io.Writer) error {
	rows, machine, err := readRows(in)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, "Times as fast as one regexp per rule, in one run. "+machine+".\n\n"+table(rows))
	if err != nil {
		return err
	}
	if short := shortfalls(rows); len(short) > 0 {
		return fmt.Errorf("below what is asked:\n%s", strings.Join(short, "\n"))
	}
	return nil
}
