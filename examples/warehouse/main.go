// Command warehouse sums calls in a database, for a fleet whose calls no single process
// sees.
//
// With -dir, it reads calls files, as written by mesh meter and calls.OpenLog, into
// DuckDB with files.sql, and compares every total with calls.Sum:
//
//	cd examples/warehouse && GOWORK=off go run . -dir ~/calls
//
// Otherwise it generates calls, loads them and the price table into DuckDB, prices them
// with cost.sql, and compares every daily sum with calls.Totals, which gets the same
// calls one by one:
//
//	GOWORK=off go run . -calls 1000000
//
// The exit status is 1 if any sum differs in any digit. The program needs a C compiler,
// and downloads 540 MB of DuckDB the first time.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"
)

func main() {
	dir := flag.String("dir", "", "directory of calls files to sum")
	calls := flag.Int("calls", 1_000_000, "number of calls to generate")
	seed := flag.Uint64("seed", 1, "random seed for the calls")
	flag.Parse()
	var differences int
	var err error
	if *dir != "" {
		differences, err = runFiles(context.Background(), os.Stdout, os.Stderr, *dir)
	} else {
		differences, err = run(context.Background(), os.Stdout, generate(*calls, *seed))
	}
	if err != nil {
		log.Fatal(err)
	}
	if differences > 0 {
		os.Exit(1)
	}
}

// run prices the calls in both ways and returns how many sums differ.
func run(ctx context.Context, out io.Writer, calls []call) (differences int, err error) {
	began := time.Now()
	counted, err := inTotals(calls)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "totals:    %d calls in %.1f s\n", len(calls), time.Since(began).Seconds())

	w, err := open(ctx)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	began = time.Now()
	if err := w.load(ctx, calls); err != nil {
		return 0, err
	}
	loaded := time.Since(began)
	stored, err := w.days(ctx)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "warehouse: %d calls, loaded in %.1f s, priced in %.1f s\n", len(calls), loaded.Seconds(), (time.Since(began) - loaded).Seconds())
	return compare(out, counted, stored), nil
}

func compare(out io.Writer, counted, stored sums) (differences int) {
	for key := range counted {
		if counted[key] != stored[key] {
			differences++
			fmt.Fprintf(out, "%s %s: the totals have %+v, the warehouse %+v\n", key.day, key.model, counted[key], stored[key])
		}
	}
	for key := range stored {
		if _, ok := counted[key]; !ok {
			differences++
			fmt.Fprintf(out, "%s %s: only the warehouse has %+v\n", key.day, key.model, stored[key])
		}
	}
	unpriced := 0
	for _, s := range counted {
		unpriced += s.unpriced
	}
	fmt.Fprintf(out, "%s USD; %d calls with unknown cost; %d daily sums, %d differences\n", counted.total(), unpriced, len(counted), differences)
	return differences
}
