// Package retirements holds the built-in table of retirement dates and the list of models without one.
//
// retirements.csv and models.csv describe their columns. "make facts" compares them with the newest official SDKs.
package retirements

import (
	_ "embed" // for the tables
	"strings"
)

// CSV and ModelsCSV are the tables as they are in the repository.
var (
	//go:embed retirements.csv
	CSV string
	//go:embed models.csv
	ModelsCSV string
)

// Row is a model of the table.
type Row struct {
	Provider, ID string
	// Date is YYYY-MM-DD, "deprecated", or "" for a model without a date.
	Date string
	// WholeLine reports whether the date also holds for builds of the model that have no row.
	WholeLine bool
	// Replacements are what the provider recommends instead, best first.
	Replacements []string
}

// Rows returns all rows, those of models.csv included.
func Rows() []Row {
	rows := make([]Row, 0, strings.Count(CSV, "\n")+strings.Count(ModelsCSV, "\n"))
	for _, table := range []string{CSV, ModelsCSV} {
		for line := range strings.Lines(table) {
			if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "provider,") {
				continue
			}
			rows = append(rows, parse(strings.Split(strings.TrimSpace(line), ",")))
		}
	}
	return rows
}

// parse reads provider, id, date, builds and replacement, or provider and id alone.
func parse(fields []string) Row {
	row := Row{Provider: fields[0], ID: fields[1]}
	if len(fields) == 2 {
		return row
	}
	if fields[2] != "none" {
		row.Date = fields[2]
	}
	row.WholeLine = fields[3] == "all"
	if fields[4] != "" {
		row.Replacements = strings.Split(fields[4], "+")
	}
	return row
}

// AsOf returns the day on which the table was last compared with its sources, YYYY-MM-DD.
func AsOf() string {
	_, after, _ := strings.Cut(CSV, "# as of ")
	date, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(date)
}
