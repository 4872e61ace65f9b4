package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/fakeproviders"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// discover returns a client of the catalog and the providers, and the list of the failures that it meets.
func (a *app) discover() (*discovery.Client, *failureList) {
	failures := &failureList{seen: map[string]bool{}}
	a.progress.Start()
	return newDiscovery(slices.Concat([]discovery.Option{
		discovery.WithLogger(slog.New(slog.DiscardHandler)),
		discovery.WithFailureHandler(func(f discovery.Failure) { failures.add(&f) }),
	}, a.providers)), failures
}

// useFakeProviders leads all requests to providers to the server of mesh providers; "" changes nothing.
func (a *app) useFakeProviders(url string) (err error) {
	if url != "" {
		a.providers, err = fakeproviders.Options(url)
	}
	return wrongUse(err)
}

// newDiscovery returns a client of options that do not come from the user.
func newDiscovery(opts []discovery.Option) *discovery.Client {
	c, err := discovery.New(opts...)
	if err != nil {
		panic(err)
	}
	return c
}

// failureList collects the failures and the unpriced calls of one command, each text once.
type failureList struct {
	mu       sync.Mutex
	seen     map[string]bool
	failures []error
	more     int // beyond maxFailures
}

// maxFailures bounds the list: every line of a file may have a failure of its own.
const maxFailures = 20

func (l *failureList) add(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch text := err.Error(); {
	case l.seen[text]:
	case len(l.failures) == maxFailures:
		l.more++
	default:
		l.seen[text] = true
		l.failures = append(l.failures, err)
	}
}

// list returns the failures.
func (l *failureList) list() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.failures)
	if l.more > 0 {
		list = append(list, fmt.Errorf("%d more failures", l.more))
	}
	return list
}

// noAnswer returns the error of a command that got no answer from a provider.
func noAnswer(failures *failureList) error {
	if list := failures.list(); len(list) > 0 {
		return &failedError{errors.Join(list...)}
	}
	return failedf("no answer")
}

// noAnswerOf is [noAnswer] of a command that needs a key. A key that is missing is wrong use, and hint is where it comes from.
func noAnswerOf(failures *failureList, hint string) error {
	list := failures.list()
	var last *discovery.Failure // that of the request, after those of prices
	if len(list) == 0 || !errors.As(list[len(list)-1], &last) || last.Reason != discovery.ReasonMissingCredential {
		return noAnswer(failures)
	}
	return usagef("%s%s", strings.ReplaceAll(last.Err.Error(), "\n", "; "), hint)
}

// warnAll prints the failures of a command that has an answer nevertheless.
func (a *app) warnAll(failures *failureList) {
	for _, err := range failures.list() {
		a.warn(err)
	}
}
