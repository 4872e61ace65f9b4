// Package update implements mesh update, which stores newer facts, such as prices.
package update

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/factsfile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// New returns the mesh update command.
func New(a *app.App) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "update [FILE|DIR|URL]",
		Short: "Get the newest prices and retirement dates",
		Long: `Update gets the project's newest reviewed facts: prices, fees, factors, regions, holidays and the dates on which
models retire. It prints what changed and stores the facts in your data directory. All commands use them while they are newer
than the built-in ones. No other command requests facts.

FILE is facts-1.txt, DIR the project's discovery/facts or a clone of the project, and URL a mirror of the directory with
facts-1.txt.

All or nothing: if one cell is wrong or the version is older, the error names the file and the line, and the old facts stay in
use. The exit status is then 2 for FILE and DIR, and 3 for a download.

MESH_FACTS=FILE|DIR replaces the stored facts. --prices and MESH_PRICES, your own prices, still come first.`,
		Example: "  mesh update\n  mesh update ~/mesh-go --dry-run\n  mesh update https://mirror.example.com/mesh-go",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, source []string) error {
			return Run(cmd.Context(), a, strings.Join(source, ""), dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would change and store nothing")
	return cmd
}

// update is the output.
type update struct {
	Version string   `json:"version"`
	AsOf    string   `json:"as_of"`
	Stored  bool     `json:"stored"`
	Changes []change `json:"changes"`
	Tables  []edited `json:"tables"`

	before string // the version
}

// change is a price that an update adds, changes or removes.
type change struct {
	Kind string                     `json:"kind"`
	Old  *discovery.ProviderPricing `json:"old"`
	New  *discovery.ProviderPricing `json:"new"`
	// before and after are the same row if it is added or removed.
	before, after prices.Row
}

// edited is a table whose rows change.
type edited struct {
	Name    string `json:"name"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// Run gets the newest facts, prints what changed and stores them. source is a file, a
// directory or a URL, or "" for the project's own.
func Run(ctx context.Context, a *app.App, source string, dryRun bool) error {
	before, _ := a.Facts()
	after, err := newest(ctx, a, before, source)
	if err != nil {
		return fmt.Errorf("%w; version %s stays in use", err, before.Version())
	}
	u := update{
		Version: after.Version(), AsOf: after.AsOf().Format("2006-01-02"), before: before.Version(),
		Changes: changes(a.PriceTable(), prices.Of(after)), Tables: compare(before, after),
	}
	if !dryRun && after != before {
		if err := factsfile.Store(after); err != nil {
			return exit.Failedf("the facts cannot be stored: %w", err)
		}
		u.Stored = true
	}
	return a.Print(u, u.table)
}

// newest returns before if there are no newer facts.
func newest(ctx context.Context, a *app.App, before *facts.Facts, source string) (*facts.Facts, error) {
	switch {
	case strings.Contains(source, "://"):
		mirror := discovery.WithBaseURL(discovery.ServiceFacts, strings.TrimSuffix(source, "/"+facts.BundleName))
		if _, err := discovery.New(mirror); err != nil {
			return nil, exit.WrongUse(err)
		}
		a.Providers = append(a.Providers, mirror)
	case source != "":
		f, err := factsfile.Open(source)
		if err == nil && len(compare(before, f)) == 0 && f.Version() == before.Version() {
			return before, nil
		}
		if err == nil {
			err = f.Newer(before)
		}
		return f, exit.WrongUse(err)
	}
	c, failures := a.Discover()
	f, err := c.UpdateFacts(ctx, before)
	if err == nil && len(failures.List()) > 0 {
		err = app.NoAnswer(failures)
	}
	return f, err
}

// compare counts, by table, the rows that are only in before or only in after.
func compare(before, after *facts.Facts) []edited {
	old, list := rowsOf(before), []edited{}
	for name, rows := range rowsOf(after) {
		e := edited{Name: name}
		for row := range rows {
			if !old[name][row] {
				e.Added++
			}
		}
		for row := range old[name] {
			if !rows[row] {
				e.Removed++
			}
		}
		if e.Added+e.Removed > 0 {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b edited) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// rowsOf returns file -> lines.
func rowsOf(f *facts.Facts) map[string]map[string]bool {
	var text strings.Builder
	_, _ = f.WriteTo(&text) // a strings.Builder never fails
	files, name := map[string]map[string]bool{}, ""
	for line := range strings.Lines(text.String()) {
		if rest, ok := strings.CutPrefix(line, "-- "); ok {
			name = strings.TrimSuffix(rest, " --\n")
			files[name] = map[string]bool{}
		} else if strings.Contains(line, ",") {
			files[name][line] = true
		}
	}
	return files
}

// changes returns rows whose price or period's end differs, in the new list's order.
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

// keyOf returns the fields that identify a price in the list.
func keyOf(r prices.Row) prices.Row {
	return prices.Row{Provider: r.Provider, ModelHint: r.ModelHint, Mode: r.Mode, Modality: r.Modality, TierThresholdTokens: r.TierThresholdTokens, ValidFrom: r.ValidFrom}
}

func pricing(row prices.Row) *discovery.ProviderPricing {
	p := discovery.PricingOf(row)
	return &p
}

func (u *update) table(w io.Writer) error {
	if len(u.Changes) > 0 {
		columns := []table.Column{table.Plain("CHANGE", 0), table.Plain("PROVIDER", 1), table.Key("MODEL"), table.Plain("MODE", 6), table.Plain("FROM", 5), table.Plain("UNTIL", 4), table.Plain("INPUT", 2), table.Plain("CACHE READ", 3), table.Plain("OUTPUT", 0)}
		if err := output.Table(w, columns, table.Rows(u.Changes, (*change).cells)); err != nil {
			return err
		}
	}
	for _, e := range u.Tables {
		fmt.Fprintf(w, "%s: %s added, %d removed\n", e.Name, output.Plural(e.Added, "row"), e.Removed)
	}
	text := fmt.Sprintf("version %s is the newest", u.before)
	if u.Version != u.before {
		text = fmt.Sprintf("%s changed; the facts had version %s and now have %s", output.Plural(len(u.Changes), "price"), u.before, u.Version)
	}
	if !u.Stored {
		text += "; nothing was stored"
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func (c *change) cells() []string {
	before, after := c.before, c.after
	return []string{
		c.Kind, string(after.Provider), after.ModelHint, output.Known(after.Mode), output.Known(after.ValidFrom), output.Known(after.ValidUntil),
		oldNew(before.InputPerMTok, after.InputPerMTok), oldNew(before.CacheReadPerMTok, after.CacheReadPerMTok), oldNew(before.OutputPerMTok, after.OutputPerMTok),
	}
}

// oldNew returns "old > new", or the price that did not change.
func oldNew(before, after prices.USD) string {
	if before == after {
		return output.Known(after)
	}
	return output.Known(before) + " > " + output.Known(after)
}
