package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pricefile"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func newPrices(a *app) *cobra.Command {
	var update, dryRun bool
	var stale string
	cmd := &cobra.Command{
		Use:   "prices [PROVIDER] | --update | --stale AGE [MODEL...]",
		Short: "Print the price list with all periods, or update it; -o csv writes it for a database",
		Long: `Prices prints the price list: every model, tier and period of all providers, or of one.

The columns of -o csv have the names of the fields of -o json. Later versions add columns at the end. Prices are decimals
in USD per million tokens. valid_until is the first day after the period, and tier_threshold_tokens the shortest prompt. An
empty price is unknown, and an empty date means no limit.

--prices, also of mesh meter, usage, cost, price and retired, reads files of your own with these columns; only provider and model_hint
must be there. A provider may be any name, such as the NAME of mesh meter --host, and the price 0 makes a model free. A row holds from
valid_from until valid_until, and precedes the built-in ones. A row whose provider is openrouter, bedrock, vertex or azure holds for
that platform alone. No factor, as of a batch, is applied to these prices.

--update gets the reviewed price table of the project, prints what changed and stores the table in the user's data folder. All
commands use it while it is newer than the built-in one. Nothing else requests it. A damaged, older or much shorter table
changes nothing. --dry-run stores nothing.

--stale prints the prices that were verified longer ago, as in 30d, of the models or of all that are sold today, and the age of
the table. The exit status is 1 if there is one.`,
		Example:   "  mesh prices openai\n  mesh prices -o csv > prices.csv\n  mesh prices --update\n  mesh prices --stale 30d gpt-5.2",
		Args:      args(cobra.ArbitraryArgs), // names of models with --stale
		ValidArgs: lookup.ProviderNames(),
		RunE: func(cmd *cobra.Command, names []string) error {
			staleGiven := cmd.Flags().Changed("stale")
			switch {
			case len(a.priceFiles) > 0 && (update || staleGiven):
				return usagef("--prices cannot be used with --update or --stale, which are about the price table")
			case update && (staleGiven || len(names) > 0 || a.format == "csv"), staleGiven && a.format == "csv":
				return usagef("--update takes no names and not --stale, and neither has -o csv")
			case dryRun && !update:
				return usagef("--dry-run needs --update")
			case update:
				return a.updatePrices(cmd.Context(), dryRun)
			case staleGiven:
				oldest, err := parseDays("--stale", stale)
				if err != nil {
					return err
				}
				return a.stalePrices(names, oldest)
			case len(names) > 1:
				return usagef("mesh prices takes one provider")
			}
			return a.prices(names)
		},
	}
	flags := cmd.Flags()
	pricesFlag(a, cmd)
	flags.BoolVar(&update, "update", false, "get the newest reviewed price table and store it")
	flags.BoolVar(&dryRun, "dry-run", false, "with --update, print what would change and store nothing")
	flags.StringVar(&stale, "stale", "", "print the prices that were verified longer ago than this, as in 30d; exit status 1 if any")
	return cmd
}

// prices prints the price list, or the prices of one provider.
func (a *app) prices(names []string) error {
	list, from, err := a.priceList()
	if err != nil {
		return err
	}
	table, _ := a.priceTable()
	asOf := table.AsOf()
	if len(names) == 1 {
		p, err := lookup.Priced(list, names[0], "")
		if err != nil {
			return err
		}
		if list, err = new(prices.List).With(list.Rows(p)...); err != nil {
			return err
		}
	}
	if a.format == "csv" {
		return writePrices(a.out, list)
	}
	prices := pricefile.Pricings(list.Rows(""))
	return a.print(prices, func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "prices as of %s, %s\n", asOf.Format(time.DateOnly), from); err != nil {
			return err
		}
		return priceTable(w, prices)
	})
}

// writePrices writes the CSV of a list, of which live prices and rows of a stored table come from elsewhere.
func writePrices(w io.Writer, list *prices.List) error {
	var text bytes.Buffer
	if err := list.WriteCSV(&text); err != nil {
		return err
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		return err
	}
	return output.CSV(w, rows)
}

func staleTable(w io.Writer, stale []discovery.ProviderPricing, table string) error {
	rows := make([][]string, len(stale))
	for i, p := range stale {
		rows[i] = []string{string(p.Provider), p.ModelHint, output.Text(&p.Mode), output.Text(p.VerifiedAt), output.Line(p.Source)}
	}
	if err := output.Table(w, []output.Column{output.Plain("PROVIDER", 1), output.Key("MODEL"), output.Plain("MODE", 3), output.Plain("VERIFIED", 2), output.Free("SOURCE")}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, table)
	return err
}

// priceTable returns the price table of this command and where it is from: the table of mesh prices --update, or the built-in one.
func (a *app) priceTable() (list *prices.List, from string) {
	list, updated, err := pricefile.Load()
	if err != nil {
		a.warn(err)
	}
	if updated {
		return list, "updated"
	}
	return list, "built in"
}

// updatePrices gets the newest price table, prints what changed and stores it.
func (a *app) updatePrices(ctx context.Context, dryRun bool) error {
	before, _ := a.priceTable()
	c, failures := a.discover()
	list, err := c.UpdatePrices(ctx, before)
	if err != nil {
		return err
	}
	if len(failures.list()) > 0 {
		return fmt.Errorf("%w; the price table of %s stays in use", noAnswer(failures), before.AsOf().Format(time.DateOnly))
	}
	update := pricefile.Update{AsOf: list.AsOf().Format(time.DateOnly), Changes: pricefile.Diff(before, list)}
	if !dryRun && list.AsOf().After(prices.BuiltIn().AsOf()) {
		if err := pricefile.Store(list); err != nil {
			return failedf("the price table cannot be stored: %w", err)
		}
		update.Stored = true
	}
	return a.print(update, func(w io.Writer) error { return update.Table(w, before.AsOf()) })
}

// stalePrices prints the prices in force now that were verified longer ago than an age: those of the models, or of all models
// that are sold today. The error is errFound if there is one.
func (a *app) stalePrices(models []string, oldest time.Duration) error {
	list, from := a.priceTable()
	rows, err := rowsOf(list, models)
	if err != nil {
		return err
	}
	stale := pricefile.Stale(rows, time.Now(), oldest, len(models) > 0)
	table := "the price table is of " + tableAge(list.AsOf()) + ", " + from
	if len(stale) == 0 {
		fmt.Fprintf(a.errs, "mesh: no price was verified longer ago; %s\n", table)
		return a.print(stale, func(io.Writer) error { return nil })
	}
	if err := a.print(stale, func(w io.Writer) error { return staleTable(w, stale, table) }); err != nil {
		return err
	}
	return errFound
}

// rowsOf returns the rows of the models, or all rows for none.
func rowsOf(list *prices.List, models []string) ([]discovery.ProviderPricing, error) {
	if len(models) == 0 {
		return pricefile.Pricings(list.Rows("")), nil
	}
	var rows []discovery.ProviderPricing
	for _, model := range models {
		p, err := lookup.Provider("", model)
		if err != nil {
			return nil, err
		}
		found := pricefile.Pricings(list.ForModel(p, model))
		if len(found) == 0 {
			return nil, failedf("%s is not in the price list", model)
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// tableAge returns the day of a price table and its age, as in "2026-11-22 (3d old)".
func tableAge(asOf time.Time) string {
	const day = 24 * time.Hour
	return fmt.Sprintf("%s (%dd old)", asOf.Format(time.DateOnly), max(0, time.Since(asOf)/day))
}
