package app

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/factsfile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/fakeproviders"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Discover returns a client for the catalog and the providers. The client's failures are
// added to the returned list.
func (a *App) Discover() (*discovery.Client, *Failures) {
	failures := &Failures{seen: map[string]bool{}}
	a.Progress.Start()
	f, _ := a.Facts()
	return NewDiscovery(slices.Concat([]discovery.Option{
		discovery.WithFacts(f),
		discovery.WithLogger(slog.New(slog.DiscardHandler)),
		discovery.WithFailureHandler(func(f discovery.Failure) { failures.Add(&f) }),
	}, a.Providers)), failures
}

// UseFakeProviders sends provider requests to the server at url, started with mesh
// providers; "" changes nothing.
func (a *App) UseFakeProviders(url string) (err error) {
	if url != "" {
		a.Providers, err = fakeproviders.Options(url)
	}
	return exit.WrongUse(err)
}

// NewDiscovery returns a client for opts. It panics if they are invalid, so they must not
// contain user input.
func NewDiscovery(opts []discovery.Option) *discovery.Client {
	c, err := discovery.New(opts...)
	if err != nil {
		panic(err)
	}
	return c
}

// Failures collects one command's failures, each text once. It is safe for concurrent
// use.
type Failures struct {
	mu       sync.Mutex
	seen     map[string]bool
	failures []error
	more     int // beyond maxFailures
}

// maxFailures limits the list: each line in a file can fail differently.
const maxFailures = 20

// Add adds a failure unless the list has the same text.
func (l *Failures) Add(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch text := output.Error(err); {
	case l.seen[text]:
	case len(l.failures) == maxFailures:
		l.more++
	default:
		l.seen[text] = true
		l.failures = append(l.failures, err)
	}
}

// List returns the failures in order; the last one may count the rest.
func (l *Failures) List() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.failures)
	if l.more > 0 {
		list = append(list, fmt.Errorf("%d more failures", l.more))
	}
	return list
}

// NoAnswer returns the failures as an error, or just "no answer" if the list is empty.
func NoAnswer(failures *Failures) error {
	if list := failures.List(); len(list) > 0 {
		return exit.Failedf("%w", errors.Join(list...))
	}
	return exit.Failedf("no answer")
}

// NoAnswerOf is like [NoAnswer], for commands that need a key. If the key is missing, it
// returns wrong use with a hint where to get one.
func NoAnswerOf(failures *Failures, hint string) error {
	list := failures.List()
	var last *discovery.Failure // the request's failure follows price failures
	if len(list) == 0 || !errors.As(list[len(list)-1], &last) || last.Reason != discovery.ReasonMissingCredential {
		return NoAnswer(failures)
	}
	return exit.Usagef("%s%s", strings.ReplaceAll(last.Err.Error(), "\n", "; "), hint)
}

// WarnAll prints failures that didn't prevent an answer.
func (a *App) WarnAll(failures *Failures) {
	for _, err := range failures.List() {
		a.Warn(err)
	}
}

// Facts returns the newest facts, built-in or stored, and their source. They are loaded
// once.
func (a *App) Facts() (f *facts.Facts, from string) {
	a.loadFacts.Do(func() {
		var err error
		if a.facts, a.factsFrom, err = factsfile.Load(); err != nil {
			a.Warn(err)
		}
	})
	return a.facts, a.factsFrom
}

// Registry returns the retirement dates in [App.Facts].
func (a *App) Registry() models.Registry {
	f, _ := a.Facts()
	return models.Of(f)
}

// PriceTable returns the price list in [App.Facts], without the user's files.
func (a *App) PriceTable() *prices.List {
	f, _ := a.Facts()
	if f == facts.BuiltIn() {
		return prices.BuiltIn() // parsed once
	}
	return prices.Of(f)
}

// FactsAge returns the oldest table's day and age, like "2026-11-22 (3d old)".
func (a *App) FactsAge() string {
	f, _ := a.Facts()
	asOf := f.AsOf()
	const secondsPerDay = 24 * 60 * 60
	return fmt.Sprintf("%s (%dd old)", asOf.Format(time.DateOnly), max(0, (time.Now().Unix()-asOf.Unix())/secondsPerDay))
}

// PricesFlag adds --prices.
func PricesFlag(a *App, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.PriceFiles, "prices", nil,
		"CSV `FILE` with your prices; repeatable (default $MESH_PRICES)")
}

// OwnPriceFiles returns the files in --prices or, if that is unset, MESH_PRICES, and
// which one it was.
func (a *App) OwnPriceFiles() (names []string, from string) {
	if len(a.PriceFiles) > 0 {
		return a.PriceFiles, "--prices"
	}
	return factsfile.PriceFiles(), factsfile.PricesVariable
}

// PriceList adds prices from the user's files to [App.PriceTable] and returns the
// sources.
func (a *App) PriceList() (list *prices.List, from string, err error) {
	list = a.PriceTable()
	_, from = a.Facts()
	names, source := a.OwnPriceFiles()
	list, err = factsfile.WithPrices(list, names)
	if err != nil {
		return nil, "", exit.Usagef("%s: %w", source, err)
	}
	if len(names) > 0 {
		from += ", with " + strings.Join(names, ", ")
	}
	return list, from, nil
}
