package facts

import (
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
)

// allTables returns the tables in bundle order. It's a function, not a variable, to let
// the linker drop the checks from programs that receive no facts.
func allTables() []*tables.Table {
	yesNo, period := tables.OneOf("yes", "no"), tables.Optional(tables.Time)
	return []*tables.Table{
		{
			Name: "prices.csv", Columns: "provider,model_id,above,input,cache_read,cache_write_5m,cache_write_1h,output,valid_from,valid_until,sources,verified_at,same_as,mode,modality,guaranteed_through",
			Key: tables.PriceKey,
			Checks: []tables.Check{
				tables.Given, tables.Given, tables.Length, tables.Optional(figure),
				tables.Optional(figure), tables.Optional(figure), tables.Optional(figure),
				tables.Optional(figure), period, period,
				tables.Text, tables.PastDay, tables.Text, tables.Text, tables.Text,
				tables.Optional(tables.Day),
			}, CheckRow: checkPeriod(8)},
		{
			Name: "confirmed.csv", Columns: "provider,model_id,above,valid_from,mode,modality,confirmed_at",
			Key: tables.Key(0, 1, 2, 3, 4, 5),
			Checks: []tables.Check{
				tables.Given, tables.Given, tables.Length, tables.Text, tables.Text, tables.Text,
				tables.Optional(tables.PastDay),
			}},
		{
			Name: "fees.csv", Columns: "provider,what,unit,usd,models,valid_from,valid_until,counted,sources,verified_at",
			Key: tables.Key(0, 1, 4, 5),
			Checks: []tables.Check{
				tables.Given, tables.Given,
				tables.OneOf("request", "query", "prompt", "source", "container"),
				tables.Optional(tables.Decimal), tables.Patterns, period,
				period, tables.OneOf("", "never"), tables.Text,
				tables.Optional(tables.PastDay),
			}, CheckRow: checkPeriod(5)},
		{
			Name: "factors.csv", Columns: "provider,mode,factor,models,long,cached,valid_from,valid_until,sources",
			Key: tables.Key(0, 1, 3, 6),
			Checks: []tables.Check{
				tables.Given, tables.Given, figure, tables.Patterns, yesNo, yesNo,
				period, period, tables.Given,
			}, CheckRow: checkPeriod(6)},
		{
			Name: "regions.csv", Columns: "provider,platform,factor,models,region,profile,valid_from,sources",
			Key: tables.Key(0, 1, 3, 4, 5, 6),
			Checks: []tables.Check{
				tables.Given, tables.Given, tables.Optional(figure), tables.Patterns, tables.Patterns,
				tables.Patterns, period, tables.Text,
			}},
		{
			Name: "modalities.csv", Columns: "provider,modality,price,models,sources",
			Key: tables.Key(0, 1, 3),
			Checks: []tables.Check{
				tables.Given, tables.OneOf("image", "audio", "video"), tables.OneOf("", "text"),
				tables.Patterns, tables.Text,
			}},
		{
			Name: "hours.csv", Columns: "provider,mode,from,to,weekends,holidays,valid_from,valid_until,sources",
			Key: tables.Key(0, 1, 2, 6),
			Checks: []tables.Check{
				tables.Given, tables.OneOf("peak", "off-peak"), tables.Clock, tables.Clock, yesNo, yesNo,
				period, period, tables.Given,
			}, CheckRow: checkPeriod(6)},
		{
			Name: "holidays.csv", Columns: "date,holiday",
			Key: tables.Key(0),
			Checks: []tables.Check{
				tables.Day, tables.Text,
			}},
		{
			Name: "models.csv", Columns: "provider,model_id",
			Key: tables.Key(0, 1),
			Checks: []tables.Check{
				tables.Given, tables.Given,
			}},
		{
			Name: "retirements.csv", Columns: "provider,model_id,date,builds,replacement,note",
			Key: tables.Key(0, 1),
			Checks: []tables.Check{
				tables.Given, tables.Given, dayOr("deprecated", "none"), tables.OneOf("", "all"),
				tables.Text, tables.Text,
			}},
		{
			Name: "platforms.csv", Columns: "provider,model_id,date,platform,source",
			Key: tables.Key(0, 1, 3),
			Checks: []tables.Check{
				tables.Given, tables.Given, dayOr("deprecated"), tables.Given, tables.Given,
			}},
	}
}

// figure accepts a price or factor. A question mark means that it has a single source.
func figure(cell string) string { return tables.Decimal(strings.TrimSuffix(cell, "?")) }

func dayOr(words ...string) tables.Check {
	word := tables.OneOf(words...)
	return func(cell string) string {
		if word(cell) == "" {
			return ""
		}
		return tables.Day(cell)
	}
}

// checkPeriod checks the period in two neighboring columns.
func checkPeriod(column int) func(cells []string) string {
	return func(cells []string) string {
		if from, until := instant(cells[column]), instant(cells[column+1]); until.IsZero() || from.Before(until) {
			return ""
		}
		return "valid_until must be after valid_from"
	}
}

func instant(cell string) time.Time {
	if day, err := time.Parse(time.DateOnly, cell); err == nil {
		return day
	}
	at, _ := time.Parse(time.RFC3339, cell)
	return at
}

// checkConfirmed returns an error if confirmed.csv has a row that prices.csv lacks.
func checkConfirmed(prices, confirmed string) error {
	keys := make(map[string]bool)
	for cells := range tables.Rows(prices) {
		keys[tables.PriceKey(cells)] = true
	}
	check := allTables()[1]
	check.CheckRow = func(cells []string) string {
		if !keys[strings.Join(cells[:6], ",")] {
			return "prices.csv has no such row"
		}
		return ""
	}
	return check.Validate(confirmed)
}

// lacksPrices reports whether prices has a price for less than nine tenths of the
// models that other prices.
func lacksPrices(prices, other string) bool {
	kept, wanted := pricedModels(prices), pricedModels(other)
	n := 0
	for model := range wanted {
		if kept[model] {
			n++
		}
	}
	return 10*n < 9*len(wanted)
}

func pricedModels(prices string) map[string]bool {
	models := make(map[string]bool)
	for cells := range tables.Rows(prices) {
		if input, output := cells[3], cells[7]; input != "" || output != "" {
			models[cells[0]+"/"+cells[1]] = true
		}
	}
	return models
}
