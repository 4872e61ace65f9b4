// Mutate breaks the error handling of packages, one place at a time, and finds out whether a test notices.
//
//	go run ./internal/mutate ./client/... ./discovery/...
//	go run ./internal/mutate -site client/send.go:110 ./client    # that place alone
//
// A site is a comparison with nil of a value whose static type implements error, in an if, a switch, a loop or any other
// expression. Each site gives two mutants: inverted, with == in the place of != or the other way round, and ignored, which
// goes on as if the error were nil. A mutant is caught when a test fails, or hangs, in its own package or, when that one
// passes, in a package of this module that relies on it.
//
// What became of each mutant goes to standard error as it happens; the table and the survivors go to standard output. The
// exit status is 1 when fewer than nine inverted sites in ten are caught.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutate: ")
	only := flag.String("site", "", "try only sites whose file:line contains this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, ".", *only, flag.Args(), os.Stdout, os.Stderr); err != nil {
		stop()
		log.Fatal(err) //nolint:gocritic // stop has been called
	}
}

// run tries every mutant of the packages that match patterns, and returns what is wrong with the result.
func run(ctx context.Context, dir, only string, patterns []string, out, progress io.Writer) error {
	m, err := load(ctx, dir, patterns)
	if err != nil {
		return err
	}
	sites, err := m.sites(only)
	if err != nil {
		return err
	}
	if len(sites) == 0 {
		return errors.New("no site: nothing is compared with nil")
	}
	lab, err := newLab(m, sites)
	if err != nil {
		return err
	}
	defer lab.clear()
	results, err := lab.tryAll(ctx, sites, progress)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, table(m.path(), results)+survivors(results)); err != nil {
		return err
	}
	return verdict(results)
}

// tryAll tries both mutants of every site.
func (l *lab) tryAll(ctx context.Context, sites []site, progress io.Writer) ([]result, error) {
	var results []result
	for _, s := range sites {
		for _, kind := range kinds {
			o, err := l.try(ctx, s, kind)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.place, kind, err)
			}
			_, _ = fmt.Fprintf(progress, "%s %s: %s\n", s.place, kind, o)
			results = append(results, result{s, kind, o})
		}
	}
	return results, nil
}
