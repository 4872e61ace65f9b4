package prices

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pricefile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// update is what mesh prices --update prints.
type update struct {
	AsOf    string   `json:"as_of"`
	Stored  bool     `json:"stored"`
	Changes []change `json:"changes"`
}

// change is a row that an update adds, changes or removes.
type change struct {
	Kind string                     `json:"kind"`
	Old  *discovery.ProviderPricing `json:"old"`
	New  *discovery.ProviderPricing `json:"new"`
	// before and after are the two rows; of a row that is added or removed both are the same.
	before, after prices.Row
}

// updatePrices gets the newest price table, prints what changed and stores it. source is its file, folder or URL, "" the project's.
func updatePrices(ctx context.Context, a *app.App, source string, dryRun bool) error {
	before, _ := a.PriceTable()
	list, err := newestPrices(ctx, a, before, source)
	if err != nil {
		return fmt.Errorf("%w; the price table of %s stays in use", err, before.AsOf().Format(time.DateOnly))
	}
	u := update{AsOf: list.AsOf().Format(time.DateOnly), Changes: changes(before, list)}
	if !dryRun && list.AsOf().After(prices.BuiltIn().AsOf()) {
		if err := pricefile.Store(list); err != nil {
			return exit.Failedf("the price table cannot be stored: %w", err)
		}
		u.Stored = true
	}
	return a.Print(u, func(w io.Writer) error { return u.table(w, before.AsOf()) })
}

func newestPrices(ctx context.Context, a *app.App, before *prices.List, source string) (*prices.List, error) {
	switch {
	case strings.Contains(source, "://"):
		mirror := discovery.WithBaseURL(discovery.ServicePrices, strings.TrimSuffix(source, "/prices.csv"))
		if _, err := discovery.New(mirror); err != nil {
			return nil, exit.WrongUse(err)
		}
		a.Providers = append(a.Providers, mirror)
	case source != "":
		list, err := fromPath(before, source)
		return list, exit.WrongUse(err)
	}
	c, failures := a.Discover()
	list, err := c.UpdatePrices(ctx, before)
	if err != nil {
		return nil, err
	}
	if len(failures.List()) > 0 {
		return nil, app.NoAnswer(failures)
	}
	list, err = c.ConfirmPrices(ctx, list)
	a.WarnAll(failures)
	return list, err
}

// fromPath returns a list with the table of a file instead of its own: prices.csv, the folder that has it, or the root of a copy of this
// repository. The days in confirmed.csv beside the table are read, too, if there is such a file.
func fromPath(base *prices.List, name string) (*prices.List, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if dir := filepath.Join(name, "discovery", "prices"); exists(dir) {
			name = dir
		}
		name = filepath.Join(name, "prices.csv")
	}
	list, err := withFile(name, func(text string) (*prices.List, error) { return base.WithTable(text, "") })
	if days := filepath.Join(filepath.Dir(name), "confirmed.csv"); err == nil && exists(days) {
		list, err = withFile(days, list.WithConfirmed)
	}
	return list, err
}

// maxTable bounds a file of --update, in bytes.
const maxTable = 32 << 20

func withFile(name string, read func(text string) (*prices.List, error)) (list *prices.List, err error) {
	text, err := openfile.ReadTyped(name, maxTable)
	if err == nil {
		list, err = read(string(text))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, exit.WithoutPath(err))
	}
	return list, nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// changes returns the rows that differ in a price or in the end of its period, in the order of the new list.
func changes(oldList, newList *prices.List) []change {
	old := make(map[prices.Row]prices.Row)
	for _, row := range oldList.Rows("") {
		old[keyOf(row)] = row
	}
	list := []change{}
	for _, row := range newList.Rows("") {
		before, known := old[keyOf(row)]
		delete(old, keyOf(row))
		if !known {
			list = append(list, change{"added", nil, pricing(row), row, row})
			continue
		}
		sameSource := before
		sameSource.Source, sameSource.VerifiedAt = row.Source, row.VerifiedAt
		if sameSource != row {
			list = append(list, change{"changed", pricing(before), pricing(row), before, row})
		}
	}
	for _, row := range oldList.Rows("") {
		if _, removed := old[keyOf(row)]; removed {
			list = append(list, change{"removed", pricing(row), nil, row, row})
		}
	}
	return list
}

// keyOf returns what a row has the price of.
func keyOf(r prices.Row) prices.Row {
	return prices.Row{Provider: r.Provider, ModelHint: r.ModelHint, Mode: r.Mode, Modality: r.Modality, TierThresholdTokens: r.TierThresholdTokens, ValidFrom: r.ValidFrom}
}

func pricing(row prices.Row) *discovery.ProviderPricing {
	p := discovery.PricingOf(row)
	return &p
}

// table writes the changes and the days of the two tables.
func (u *update) table(w io.Writer, before time.Time) error {
	if len(u.Changes) > 0 {
		columns := []table.Column{table.Plain("CHANGE", 0), table.Plain("PROVIDER", 1), table.Key("MODEL"), table.Plain("MODE", 6), table.Plain("FROM", 5), table.Plain("UNTIL", 4), table.Plain("INPUT", 2), table.Plain("CACHE READ", 3), table.Plain("OUTPUT", 0)}
		if err := output.Table(w, columns, table.Rows(u.Changes, (*change).cells)); err != nil {
			return err
		}
	}
	stored := ""
	if !u.Stored {
		stored = "; nothing was stored"
	}
	_, err := fmt.Fprintf(w, "%d prices changed; the table was of %s and is of %s%s\n", len(u.Changes), before.Format(time.DateOnly), u.AsOf, stored)
	return err
}

func (c *change) cells() []string {
	before, after := c.before, c.after
	return []string{
		c.Kind, string(after.Provider), after.ModelHint, known(after.Mode), known(after.ValidFrom), known(after.ValidUntil),
		oldNew(before.InputPerMTok, after.InputPerMTok), oldNew(before.CacheReadPerMTok, after.CacheReadPerMTok), oldNew(before.OutputPerMTok, after.OutputPerMTok),
	}
}

// oldNew returns "old > new", or the price that did not change.
func oldNew(before, after string) string {
	if before == after {
		return known(after)
	}
	return known(before) + " > " + known(after)
}

// known returns a text, or "-" for "".
func known(text string) string { return cmp.Or(text, output.Unknown) }
