package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/discovery"
)

func newPrices(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "prices [PROVIDER]",
		Short: "Print the built-in price list with all periods; -o csv writes it for a database",
		Long: `Prices prints the built-in price list: every model, tier and period of all providers, or of one.

The columns of -o csv have the names of the fields of -o json. Later versions add columns at the end. Prices are decimals
in USD per million tokens. valid_until is the first day after the period, and tier_threshold_tokens the shortest prompt. An
empty price is unknown, and an empty date means no limit.`,
		Example:   "  mesh prices openai\n  mesh prices -o csv > prices.csv",
		Args:      args(cobra.MaximumNArgs(1)),
		ValidArgs: lookup.ProviderNames(),
		RunE: func(_ *cobra.Command, names []string) error {
			list := discovery.BuiltInPrices()
			if len(names) == 1 {
				p, err := discovery.ParseProvider(names[0])
				if err != nil {
					return err
				}
				if list, err = new(discovery.PriceList).With(list.Rows(p)...); err != nil {
					return err
				}
			}
			if a.format == "csv" {
				return list.WriteCSV(a.out)
			}
			prices := list.Rows("")
			return a.print(prices, func(w io.Writer) error { return priceTable(w, prices) })
		},
	}
}
