package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pricefile"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

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
	const day = 24 * time.Hour
	return fmt.Sprintf("%s (%dd old)", asOf.Format(time.DateOnly), max(0, time.Since(asOf)/day))
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
