package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// discover returns a client of the catalog and the providers, and the list of the failures that it meets.
func (a *app) discover() (*discovery.Client, *failureList) {
	failures := new(failureList)
	a.progress.start()
	return discovery.New(slices.Concat([]discovery.Option{
		discovery.WithLogger(slog.New(slog.DiscardHandler)),
		discovery.WithFailureHandler(failures.add),
	}, a.providers)...), failures
}

// failureList collects the failures of one command.
type failureList struct {
	mu       sync.Mutex
	failures []error
}

func (l *failureList) add(f discovery.Failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, f)
}

// list returns the failures, each text once.
func (l *failureList) list() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(l.failures), func(f error) bool {
		again := seen[f.Error()]
		seen[f.Error()] = true
		return again
	})
}

// noAnswer returns the error of a command that got no answer from a provider.
func noAnswer(failures *failureList) error {
	if list := failures.list(); len(list) > 0 {
		return &failedError{errors.Join(list...)}
	}
	return failedf("no answer")
}

// warn prints the failures of a command that has an answer nevertheless.
func (a *app) warn(failures *failureList) {
	a.progress.stop()
	for _, f := range failures.list() {
		fmt.Fprintln(a.errs, "mesh: warning:", printable(f.Error()))
	}
}
