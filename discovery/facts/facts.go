package facts

import (
	_ "embed" // for the tables
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
)

// Facts has all tables in one version. It is immutable and may be used concurrently.
type Facts struct {
	version  string            // "" if built in
	received map[string]string // file -> text; nil if built in
}

var (
	//go:embed VERSION
	builtInVersion string
	//go:embed prices.csv
	pricesCSV string
	//go:embed confirmed.csv
	confirmedCSV string
	//go:embed fees.csv
	feesCSV string
	//go:embed factors.csv
	factorsCSV string
	//go:embed regions.csv
	regionsCSV string
	//go:embed modalities.csv
	modalitiesCSV string
	//go:embed hours.csv
	hoursCSV string
	//go:embed holidays.csv
	holidaysCSV string
	//go:embed models.csv
	modelsCSV string
	//go:embed retirements.csv
	retirementsCSV string
	//go:embed platforms.csv
	platformsCSV string
)

// file -> text
func (f *Facts) texts() map[string]string {
	if f.received != nil {
		return f.received
	}
	return map[string]string{
		"prices.csv": pricesCSV, "confirmed.csv": confirmedCSV, "fees.csv": feesCSV, "factors.csv": factorsCSV,
		"regions.csv": regionsCSV, "modalities.csv": modalitiesCSV, "hours.csv": hoursCSV, "holidays.csv": holidaysCSV,
		"models.csv": modelsCSV, "retirements.csv": retirementsCSV, "platforms.csv": platformsCSV,
	}
}

var builtIn Facts

// BuiltIn returns the facts in this module version.
func BuiltIn() *Facts { return &builtIn }

// Version returns a day and a number, as in "2026-11-28.1", which order facts; see
// [Facts.Newer].
func (f *Facts) Version() string {
	if f.received == nil {
		return strings.TrimSpace(builtInVersion)
	}
	return f.version
}

// AsOf returns the oldest day on which a table was last compared with its sources. The
// nightly confirmed days for prices don't count.
func (f *Facts) AsOf() time.Time {
	var oldest time.Time
	for _, text := range f.texts() {
		day, err := time.Parse(time.DateOnly, tables.AsOf(text))
		if err == nil && (oldest.IsZero() || day.Before(oldest)) {
			oldest = day
		}
	}
	return oldest
}

// Table returns a CSV table, such as "prices.csv", or "" if the name is unknown. This
// directory's README.md describes them. A program can load them into a database;
// [github.com/mesh-gateway/mesh-go/discovery/prices.List.WriteCSV] joins those with
// prices.
func (f *Facts) Table(name string) string { return f.texts()[name] }
