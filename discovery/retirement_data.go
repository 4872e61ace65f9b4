package discovery

import (
	_ "embed" // for retirements.csv
	"strings"
	"sync"
)

// retirementsCSV is the data. Its head says what the columns mean and how conflicts between sources were settled.
//
//go:embed retirements.csv
var retirementsCSV string

// retirementTable is retirements.csv.
type retirementTable struct {
	registry Registry
	// lines has the ids whose date holds for builds without a row of their own.
	lines map[ModelKey]bool
}

// builtIn reads the data once, when it is first needed.
var builtIn = sync.OnceValue(func() retirementTable {
	table := retirementTable{registry: Registry{}, lines: map[ModelKey]bool{}}
	for line := range strings.Lines(retirementsCSV) {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "provider,") {
			continue
		}
		table.add(strings.Split(strings.TrimSpace(line), ","))
	}
	return table
})

// add takes over a row: provider, id, date, builds, note. A test holds every row to that.
func (t retirementTable) add(row []string) {
	key := ModelKey{Provider: Provider(row[0]).canonical(), ID: row[1]}
	if row[2] == "none" {
		return
	}
	t.registry[key] = row[2]
	if row[3] == "all" {
		t.lines[key] = true
	}
}
