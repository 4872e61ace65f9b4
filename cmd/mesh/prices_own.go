package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pricefile"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// pricesFlag adds the flag of the user's price files.
func pricesFlag(a *app, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.priceFiles, "prices", nil,
		"CSV file with prices of your own, which precede the built-in ones (mesh prices --help); the last file has precedence; repeatable (default $MESH_PRICES)")
}

// ownPriceFiles returns the files of --prices, else those of MESH_PRICES.
func (a *app) ownPriceFiles() (names []string, from string) {
	if len(a.priceFiles) > 0 {
		return a.priceFiles, "--prices"
	}
	return pricefile.OwnNames(), pricefile.OwnVariable
}

// priceList returns the price table with the prices of the user's files, and where it is from.
func (a *app) priceList() (list *prices.List, from string, err error) {
	list, from = a.priceTable()
	names, source := a.ownPriceFiles()
	list, err = pricefile.WithFiles(list, names)
	if err != nil {
		return nil, "", usagef("%s: %w", source, err)
	}
	if len(names) > 0 {
		from += ", with " + strings.Join(names, ", ")
	}
	return list, from, nil
}
