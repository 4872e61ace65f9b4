// Package retirements reads the tables of models and of the dates on which they retire.
package retirements

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
)

// noDate is the date of a model that is not in the registry.
const noDate = "none"

// Key is a model of a provider.
type Key struct{ Provider, ID string }

// Table is the content of all tables. It is read-only.
type Table struct {
	// AsOf is the day of retirements.csv.
	AsOf string
	// Dates are days or "deprecated".
	Dates map[Key]string
	// Lines are the models whose date holds for builds without a row.
	Lines map[Key]bool
	// Replacements are what the provider recommends, best first.
	Replacements map[Key][]string
	// Listed are known models without a date.
	Listed map[Key]bool
	// Platforms has the dates on each platform.
	Platforms map[string]map[Key]string
}

// Read reads valid tables. Models of prices are listed, too.
func Read(models, dates, platforms, prices string) *Table {
	t := &Table{tables.AsOf(dates), map[Key]string{}, map[Key]bool{}, map[Key][]string{}, map[Key]bool{}, map[string]map[Key]string{}}
	for cells := range tables.Rows(models) {
		t.Listed[Key{cells[0], cells[1]}] = true
	}
	for cells := range tables.Rows(prices) {
		t.Listed[Key{cells[0], cells[1]}] = true
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
	for cells := range tables.Rows(platforms) {
		if t.Platforms[cells[3]] == nil {
			t.Platforms[cells[3]] = map[Key]string{}
		}
		t.Platforms[cells[3]][Key{cells[0], cells[1]}] = cells[2]
	}
	return t
}
