// Benchtable turns the output of go test -bench into a Markdown table of ratios.
//
//	go test -run='^$' -bench='^BenchmarkFind$' ./scan | go run ./internal/benchtable scan
//	go test -run='^$' -bench=. -benchmem ./client ./discovery ./scan | go run ./internal/benchtable ratios
//
// A ratio compares two figures of one run, so it depends little on the machine. Where a benchmark ran more than once, the
// fastest counts on both sides. The exit status is 1 when a ratio is worse than what is asked, or a figure is missing.
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
	if len(os.Args) != 2 {
		log.Fatal("usage: benchtable scan|ratios")
	}
	if err := run(os.Args[1], os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run prints a table, and returns what is wrong with it.
func run(name string, in io.Reader, out io.Writer) error {
	results, machine, err := readResults(in)
	if err != nil {
		return err
	}
	var text string
	var short []string
	switch name {
	case "scan":
		text, short = scanTable(results)
	case "ratios":
		text, short = ratioTable(results)
	default:
		return fmt.Errorf("no table is called %q: scan or ratios", name)
	}
	if _, err := io.WriteString(out, "Measured with "+machine+".\n\n"+text); err != nil {
		return err
	}
	if len(short) > 0 {
		return fmt.Errorf("worse than what is asked:\n%s", strings.Join(short, "\n"))
	}
	return nil
}
