package pricefile

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// FromPath returns a list with the table of a file instead of its own: prices.csv, the folder that has it, or the root of a copy of this
// repository. The days in confirmed.csv beside the table are read, too, if there is such a file.
func FromPath(base *prices.List, name string) (*prices.List, error) {
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

func withFile(name string, read func(text string) (*prices.List, error)) (*prices.List, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, withoutName(err))
	}
	list, err := read(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// Update is what mesh prices --update prints.
type Update struct {
	AsOf    string   `json:"as_of"`
	Stored  bool     `json:"stored"`
	Changes []Change `json:"changes"`
}

// Table writes the changes and the days of the two tables.
func (u Update) Table(w io.Writer, before time.Time) error {
	rows := make([][]string, len(u.Changes))
	for i, c := range u.Changes {
		row := c.row()
		rows[i] = []string{
			c.Kind, string(row.Provider), row.ModelHint, output.Text(&row.Mode), output.Text(row.ValidFrom), output.Text(row.ValidUntil),
			oldNew(c, func(p *discovery.ProviderPricing) *float64 { return p.InputPerMTok }),
			oldNew(c, func(p *discovery.ProviderPricing) *float64 { return p.CacheReadPerMTok }),
			oldNew(c, func(p *discovery.ProviderPricing) *float64 { return p.OutputPerMTok }),
		}
	}
	if len(rows) > 0 {
		if err := output.Table(w, []table.Column{table.Plain("CHANGE", 0), table.Plain("PROVIDER", 1), table.Key("MODEL"), table.Plain("MODE", 6), table.Plain("FROM", 5), table.Plain("UNTIL", 4), table.Plain("INPUT", 2), table.Plain("CACHE READ", 3), table.Plain("OUTPUT", 0)}, rows); err != nil {
			return err
		}
	}
	stored := ""
	if !u.Stored {
		stored = "; nothing was stored"
	}
	_, err := fmt.Fprintf(w, "%d prices changed; the table was of %s and is of %s%s\n", len(rows), before.Format(time.DateOnly), u.AsOf, stored)
	return err
}

// oldNew returns "old > new", or the price that did not change.
func oldNew(c Change, cell func(*discovery.ProviderPricing) *float64) string {
	if c.Old == nil || c.New == nil {
		return output.USD(cell(c.row()))
	}
	before, after := output.USD(cell(c.Old)), output.USD(cell(c.New))
	if before == after {
		return after
	}
	return before + " > " + after
}
