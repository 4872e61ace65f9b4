package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/calls"
	"github.com/mesh-gateway/mesh-go/discovery"
)

func newUsage(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "usage FILE|-",
		Short: "Compute the cost of the calls in a file of usage objects",
		Long: `Usage prices the calls of a file with one JSON object in each line:

  {"provider":"openai","model":"gpt-5.2","time":"2026-11-21T07:54:15Z","usage":{...}}

usage is the usage object of the provider's response, unchanged. provider is optional if the name of the model determines
it, and mode ("batch", "flex", ...) is optional. The total does not include calls of unknown cost; their number is printed.

Each call is printed as soon as it is priced, so a file may have any size. An invalid line ends the output, which then has no
total; with -o json it has a field error instead.`,
		Example: "  mesh usage calls.jsonl\n  gunzip -c calls.jsonl.gz | mesh usage - -o json",
		Args:    args(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, files []string) error { return a.usage(cmd.Context(), files[0]) },
	}
}

func (a *app) usage(ctx context.Context, file string) error {
	in, done, err := a.open(file)
	if err != nil {
		return err
	}
	defer done()
	c, failures := a.discover()
	prices, err := c.LivePrices(ctx, nil)
	if err != nil {
		return err
	}
	a.progress.Stop() // the calls appear as they are priced
	w := bufio.NewWriter(a.out)
	var report usageReport = &usageText{w: w}
	if a.format == "json" {
		report = newUsageJSON(w)
	}
	ledger := discovery.NewLedger()
	for call, err := range calls.Price(prices, file, in) {
		if err != nil {
			report.fail(err)
			return errors.Join(&usageError{err}, w.Flush())
		}
		if call.Unpriced != nil {
			failures.add(call.Unpriced)
		}
		ledger.Add(call.Time, call.Cost)
		report.call(call)
	}
	a.warnAll(failures)
	report.total(totalOf(ledger))
	return w.Flush()
}

// count adds the calls of a usage file to the ledger of a provider. The file may have calls of other providers, too.
func (a *app) count(ctx context.Context, c *discovery.Client, failures *failureList, file string, provider discovery.Provider, ledger *discovery.Ledger) error {
	in, done, err := a.open(file)
	if err != nil {
		return err
	}
	defer done()
	prices, err := c.LivePrices(ctx, nil)
	if err != nil {
		return err
	}
	for call, err := range calls.Price(prices, file, in) {
		if err != nil {
			return &usageError{err}
		}
		if call.Provider == provider {
			if call.Unpriced != nil {
				failures.add(call.Unpriced)
			}
			ledger.Add(call.Time, call.Cost)
		}
	}
	return nil
}

// open opens a file, or stdin for "-".
func (a *app) open(file string) (in io.Reader, done func(), err error) {
	if file == "-" {
		return a.in, func() {}, nil
	}
	f, err := os.Open(file) //nolint:gosec // the user names the file
	if err != nil {
		return nil, nil, &usageError{err}
	}
	return f, func() { _ = f.Close() }, nil
}
