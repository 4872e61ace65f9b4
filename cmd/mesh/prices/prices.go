// Package prices has the commands mesh prices, the price list, and mesh price, the prices of a model or the cost of a call.
package prices

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// New returns the command mesh prices.
func New(a *app.App) *cobra.Command {
	var update, dryRun bool
	var stale string
	cmd := &cobra.Command{
		Use:   "prices [PROVIDER] | --update [FILE|DIR|URL] | --stale AGE [MODEL...]",
		Short: "Print the price list with all periods, or update it; -o csv writes it for a database",
		Long: `Prices prints the price list: every model, tier and period of all providers, or of one.

The columns of -o csv have the names of the fields of -o json. Later versions add columns at the end. Prices are decimals
in USD per million tokens. valid_until is the first day after the period, and tier_threshold_tokens the shortest prompt. An
empty price is unknown, and an empty date means no limit.

--prices, also of mesh meter, usage, cost, price and retired, reads files of your own with these columns; only provider and model_hint
must be there. A provider may be any name, such as the NAME of mesh meter --host, and the price 0 makes a model free. A row holds from
valid_from until valid_until, and precedes the built-in ones. A row whose provider is openrouter, bedrock, vertex or azure holds for
that platform alone. No factor, as of a batch, is applied to these prices.

--update gets the reviewed price table of the project, with the days on which price feeds last stated its rows, prints what
changed and stores the table in the user's data folder. All commands use it while it is newer than the built-in one. Nothing
else requests it. A damaged, older or much shorter table changes nothing. --dry-run stores nothing. FILE is a copy of the
project's discovery/prices/prices.csv, DIR its folder or a clone of the project, and URL a mirror of the folder. The days are
those of confirmed.csv beside it.

--stale, as in --stale 30d, prints the prices that neither a source nor a price feed stated in that time: those of the models that are
named, else of all models that are sold today. Deprecated models are left out unless they are named. It also prints the age of the
table. The exit status is 1 if there is such a price.`,
		Example:   "  mesh prices openai\n  mesh prices -o csv > prices.csv\n  mesh prices --update\n  mesh prices --update https://mirror.example.com/mesh-go/discovery/prices\n  mesh prices --stale 30d gpt-5.2",
		Args:      cobra.ArbitraryArgs, // names of models with --stale
		ValidArgs: providers.Names(),
		RunE: func(cmd *cobra.Command, names []string) error {
			staleGiven := cmd.Flags().Changed("stale")
			switch {
			case len(a.PriceFiles) > 0 && (update || staleGiven):
				return exit.Usagef("--prices cannot be used with --update or --stale, which are about the price table")
			case update && (staleGiven || a.Format == "csv"), staleGiven && a.Format == "csv":
				return exit.Usagef("--update and --stale exclude each other, and neither has -o csv")
			case update && len(names) > 1:
				return exit.Usagef("--update takes one file, folder or URL")
			case dryRun && !update:
				return exit.Usagef("--dry-run needs --update")
			case update:
				return updatePrices(cmd.Context(), a, strings.Join(names, ""), dryRun)
			case staleGiven:
				oldest, err := app.ParseDays("--stale", stale)
				if err != nil {
					return err
				}
				return stalePrices(a, names, oldest)
			case len(names) > 1:
				return exit.Usagef("mesh prices takes one provider")
			}
			return printList(a, names)
		},
	}
	flags := cmd.Flags()
	app.PricesFlag(a, cmd)
	flags.BoolVar(&update, "update", false, "get the newest reviewed price table, of the project or of the argument, and store it")
	flags.BoolVar(&dryRun, "dry-run", false, "with --update, print what would change and store nothing")
	flags.StringVar(&stale, "stale", "", "print the prices that were neither verified nor confirmed since then, as in 30d; exit status 1 if any")
	return cmd
}

// printList prints the price list, or the prices of one provider.
func printList(a *app.App, names []string) error {
	list, from, err := a.PriceList()
	if err != nil {
		return err
	}
	current, _ := a.PriceTable()
	asOf := current.AsOf()
	if len(names) == 1 {
		p, err := providers.Priced(list, names[0], "")
		if err != nil {
			return err
		}
		if list, err = new(prices.List).With(list.Rows(p)...); err != nil {
			return err
		}
	}
	if a.Format == "csv" {
		return writePrices(a.Out, list)
	}
	rows := list.Rows("")
	return a.Print(pricings(rows), func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "prices as of %s, %s\n", asOf.Format(time.DateOnly), from); err != nil {
			return err
		}
		return priceTable(w, rows)
	})
}

// pricings returns rows with prices that are numbers in JSON.
func pricings(rows []prices.Row) []discovery.ProviderPricing {
	list := make([]discovery.ProviderPricing, len(rows))
	for i, row := range rows {
		list[i] = discovery.PricingOf(row)
	}
	return list
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
