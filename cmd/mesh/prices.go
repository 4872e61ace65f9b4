package main

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/discovery"
)

func newPrices(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "prices [PROVIDER]",
		Short: "Print the built-in price list with all periods; -o csv and -o json are for a warehouse",
		Long: `Prices prints the built-in price list: every model, tier and period of all providers, or of one.

The columns of -o csv are provider, model_hint, mode, valid_from, valid_until, tier_threshold_tokens, input_per_mtok,
cache_read_per_mtok, cache_write_5m_per_mtok, cache_write_1h_per_mtok, output_per_mtok, source and verified_at. Later
versions add columns at the end. Prices are USD per million tokens as decimals, valid_until is the first day after the
price, and an empty field is not known.`,
		Args:      args(cobra.MaximumNArgs(1)),
		ValidArgs: providerNames(),
		RunE: func(_ *cobra.Command, names []string) error {
			wanted := providers
			if len(names) == 1 {
				p, err := discovery.ParseProvider(names[0])
				if err != nil {
					return err
				}
				wanted = []discovery.Provider{p}
			}
			var prices []discovery.ProviderPricing
			for _, p := range wanted {
				prices = append(prices, discovery.ListPrices(p)...)
			}
			if a.format == "csv" {
				return writeCSV(a.out, prices)
			}
			return a.print(prices, func(w io.Writer) error { return priceTable(w, prices) })
		},
	}
}

// csvHeader are the columns of mesh prices -o csv. Programs depend on them: add columns at the end.
var csvHeader = []string{
	"provider", "model_hint", "mode", "valid_from", "valid_until", "tier_threshold_tokens", "input_per_mtok", "cache_read_per_mtok",
	"cache_write_5m_per_mtok", "cache_write_1h_per_mtok", "output_per_mtok", "source", "verified_at",
}

// writeCSV writes a price list. A value that is not known is empty, as CSV readers expect of NULL.
func writeCSV(out io.Writer, prices []discovery.ProviderPricing) error {
	w := csv.NewWriter(out)
	if err := w.Write(csvHeader); err != nil {
		return err
	}
	for _, p := range prices {
		if err := w.Write([]string{
			string(p.Provider), p.ModelHint, p.Mode, text(p.ValidFrom), text(p.ValidUntil), strconv.FormatInt(p.TierThresholdTokens, 10),
			amount(p.InputPerMTok), amount(p.CacheReadPerMTok), amount(p.CacheWrite5mPerMTok), amount(p.CacheWrite1hPerMTok),
			amount(p.OutputPerMTok), p.Source, text(p.VerifiedAt),
		}); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

func amount(p *float64) string {
	if p == nil {
		return ""
	}
	return decimal(*p)
}
