package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pricefile"
	"github.com/mesh-gateway/mesh-go/discovery/models"
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
	for _, name := range filepath.SplitList(os.Getenv("MESH_PRICES")) {
		if name != "" {
			names = append(names, name)
		}
	}
	return names, "MESH_PRICES"
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

// providerIn returns the provider of that name, which may be a name of the user's prices, or for "" the one that makes the model. If none
// is known to make it, it is the only one that has a price of your own for it.
func providerIn(list *prices.List, name, model string) (models.Provider, error) {
	p, err := lookup.Provider(name, model)
	if err == nil {
		return p, nil
	}
	var own []string
	for _, p := range list.Providers() {
		switch {
		case name != "" && strings.EqualFold(string(p), name):
			return p, nil
		case name == "" && len(list.ForModel(p, model)) > 0:
			own = append(own, string(p))
		}
	}
	switch {
	case len(own) == 1:
		return models.Provider(own[0]), nil
	case len(own) > 1:
		return "", fmt.Errorf("several providers have prices of %q; specify --provider %s", model, strings.Join(own, " or "))
	}
	return "", err
}
