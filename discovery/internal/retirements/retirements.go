// Package retirements holds the built-in tables of retirement dates and the list of models without one.
//
// The tables describe their columns. "make facts" compares them with the newest official SDKs.
package retirements

import (
	_ "embed" // for the tables
	"strings"
)

// CSV, ModelsCSV and PlatformsCSV are the tables as they are in the repository.
var (
	//go:embed retirements.csv
	CSV string
	//go:embed models.csv
	ModelsCSV string
	//go:embed platforms.csv
	PlatformsCSV string
)

// Row is a model of the table.
type Row struct {
	Provider, ID string
	// Platform is where the date holds; "" is the provider's own API.
	Platform string
	// Date is YYYY-MM-DD, "deprecated", or "" for a model without a date.
	Date string
	// WholeLine reports whether the date also holds for builds of the model that have no row.
	WholeLine bool
	// Replacements are what the provider recommends instead, best first.
	Replacements []string
}

// Rows returns the rows of all tables.
func Rows() []Row {
	all := CSV + ModelsCSV + PlatformsCSV
	rows := make([]Row, 0, strings.Count(all, "\n"))
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "provider,") {
			continue
		}
		rows = append(rows, parse(strings.Split(strings.TrimSpace(line), ",")))
	}
	return rows
}

// parse reads the fields of a row of retirements.csv, of models.csv, which has two, or of platforms.csv, which has five.
func parse(fields []string) Row {
	row := Row{Provider: fields[0], ID: fields[1]}
	switch len(fields) {
	case 2:
		return row
	case 5:
		row.Date, row.Platform = fields[2], fields[3]
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
