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
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/fakeproviders"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pricefile"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Discover returns a client of the catalog and the providers, and the list of the failures that it meets.
func (a *App) Discover() (*discovery.Client, *Failures) {
	failures := &Failures{seen: map[string]bool{}}
	a.Progress.Start()
	return NewDiscovery(slices.Concat([]discovery.Option{
		discovery.WithLogger(slog.New(slog.DiscardHandler)),
		discovery.WithFailureHandler(func(f discovery.Failure) { failures.Add(&f) }),
	}, a.Providers)), failures
}

// UseFakeProviders leads all requests to providers to the server of mesh providers; "" changes nothing.
func (a *App) UseFakeProviders(url string) (err error) {
	if url != "" {
		a.Providers, err = fakeproviders.Options(url)
	}
	return exit.WrongUse(err)
}

// NewDiscovery returns a client of options that do not come from the user.
func NewDiscovery(opts []discovery.Option) *discovery.Client {
	c, err := discovery.New(opts...)
	if err != nil {
		panic(err)
	}
	return c
}

// Failures collects the failures and the unpriced calls of one command, each text once.
type Failures struct {
	mu       sync.Mutex
	seen     map[string]bool
	failures []error
	more     int // beyond maxFailures
}

// maxFailures bounds the list: every line of a file may have a failure of its own.
const maxFailures = 20

// Add adds a failure.
func (l *Failures) Add(err error) {
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

// List returns the failures.
func (l *Failures) List() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.failures)
	if l.more > 0 {
		list = append(list, fmt.Errorf("%d more failures", l.more))
	}
	return list
}

// NoAnswer returns the error of a command that got no answer from a provider.
func NoAnswer(failures *Failures) error {
	if list := failures.List(); len(list) > 0 {
		return exit.Failedf("%w", errors.Join(list...))
	}
	return exit.Failedf("no answer")
}

// NoAnswerOf is [noAnswer] of a command that needs a key. A key that is missing is wrong use, and hint is where it comes from.
func NoAnswerOf(failures *Failures, hint string) error {
	list := failures.List()
	var last *discovery.Failure // that of the request, after those of prices
	if len(list) == 0 || !errors.As(list[len(list)-1], &last) || last.Reason != discovery.ReasonMissingCredential {
		return NoAnswer(failures)
	}
	return exit.Usagef("%s%s", strings.ReplaceAll(last.Err.Error(), "\n", "; "), hint)
}

// WarnAll prints the failures of a command that has an answer nevertheless.
func (a *App) WarnAll(failures *Failures) {
	for _, err := range failures.List() {
		a.Warn(err)
	}
}

// PriceTable returns the price table of this command and where it is from: the table of mesh prices --update, or the built-in one.
func (a *App) PriceTable() (list *prices.List, from string) {
	list, updated, err := pricefile.Load()
	if err != nil {
		a.Warn(err)
	}
	if updated {
		return list, "updated"
	}
	return list, "built in"
}

// TableAge returns the day of a price table and its age, as in "2026-11-22 (3d old)".
func TableAge(asOf time.Time) string {
	const secondsPerDay = 24 * 60 * 60
	return fmt.Sprintf("%s (%dd old)", asOf.Format(time.DateOnly), max(0, (time.Now().Unix()-asOf.Unix())/secondsPerDay))
}

// PricesFlag adds the flag of the user's price files.
func PricesFlag(a *App, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.PriceFiles, "prices", nil,
		"CSV file with prices of your own, which precede the built-in ones (mesh prices --help); the last file has precedence; repeatable (default $MESH_PRICES)")
}

// OwnPriceFiles returns the files of --prices, else those of MESH_PRICES.
func (a *App) OwnPriceFiles() (names []string, from string) {
	if len(a.PriceFiles) > 0 {
		return a.PriceFiles, "--prices"
	}
	return pricefile.OwnNames(), pricefile.OwnVariable
}

// PriceList returns the price table with the prices of the user's files, and where it is from.
func (a *App) PriceList() (list *prices.List, from string, err error) {
	list, from = a.PriceTable()
	names, source := a.OwnPriceFiles()
	list, err = pricefile.WithFiles(list, names)
	if err != nil {
		return nil, "", exit.Usagef("%s: %w", source, err)
	}
	if len(names) > 0 {
		from += ", with " + strings.Join(names, ", ")
	}
	return list, from, nil
}
