// Package retirements reads the tables with models and their retirement dates.
package retirements

import (
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
)

// noDate marks a model that is not in the registry.
const noDate = "none"

// Key identifies a provider's model.
type Key struct{ Provider, ID string }

// Table has the content from all tables. It is read-only.
type Table struct {
	// AsOf is when retirements.csv was last compared with its sources.
	AsOf string
	// Dates are days or "deprecated".
	Dates map[Key]string
	// Lines are models whose date also applies to builds without a row.
	Lines map[Key]bool
	// Replacements are the provider's recommendations, best first.
	Replacements map[Key][]string
	// Listed are known models without a date.
	Listed map[Key]bool
	// platform -> model -> date
	Platforms map[string]map[Key]string
}

// Of returns the facts' table. Only the built-in one is kept; parsing takes 2 ms.
func Of(f *facts.Facts) *Table {
	if f == facts.BuiltIn() {
		return builtIn()
	}
	return read(f)
}

var builtIn = sync.OnceValue(func() *Table { return read(facts.BuiltIn()) })

func read(f *facts.Facts) *Table {
	dates := f.Table("retirements.csv")
	t := &Table{tables.AsOf(dates), map[Key]string{}, map[Key]bool{}, map[Key][]string{}, map[Key]bool{}, map[string]map[Key]string{}}
	for _, name := range []string{"models.csv", "prices.csv"} {
		for cells := range tables.Rows(f.Table(name)) {
			t.Listed[Key{cells[0], cells[1]}] = true
		}
	}
	for cells := range tables.Rows(dates) {
		key := Key{cells[0], cells[1]}
		if cells[2] == noDate {
			t.Listed[key] = true
			continue
		}
		t.Dates[key], t.Lines[key] = cells[2], cells[3] != ""
		if cells[4] != "" {
			t.Replacements[key] = strings.Split(cells[4], "+")
		}
	}
	for cells := range tables.Rows(f.Table("platforms.csv")) {
		if t.Platforms[cells[3]] == nil {
			t.Platforms[cells[3]] = map[Key]string{}
		}
		t.Platforms[cells[3]][Key{cells[0], cells[1]}] = cells[2]
	}
	return t
}
