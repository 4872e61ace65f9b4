// Package prices implements mesh prices, which prints the price list, and mesh price,
// which prints a model's prices or a call's cost.
package prices

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/update"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// New returns the mesh prices command.
func New(a *app.App) *cobra.Command {
	var updates, dryRun bool
	var stale string
	cmd := &cobra.Command{
		Use:   "prices [PROVIDER] | --stale AGE [MODEL...]",
		Short: "Print the price list with all periods",
		Long: `Prices prints the price list: every model, tier and period, for all providers or one.

The columns of -o csv are named like the fields of -o json; later versions add columns at the end. Prices are decimals in USD for a
million tokens. valid_until is the first day after the period, and tier_threshold_tokens the shortest prompt. An empty price is
unknown, and an empty date means no limit.

Your prices: --prices, also in mesh meter, usage, cost, price and retired, reads files with these columns, of which only provider and
model_hint are required. A provider may be any name, such as NAME in mesh meter --host, and a model with price 0 is free. A row holds
from valid_from until valid_until, and precedes built-in ones. If its provider is openrouter, bedrock, vertex or azure, it holds for that
platform alone. Factors, such as for a batch, don't apply to these prices.

Age: --stale 30d prints the prices that neither a source nor a price feed has stated for 30 days, for the named models or for all on
sale. Retired and deprecated models, their builds and aliases are included only if you name them. It also prints the table's age. The
exit status is 1 if there is such a price.`,
		Example:   "  mesh prices openai\n  mesh prices -o csv > prices.csv\n  mesh prices --stale 30d gpt-5.2",
		Args:      cobra.ArbitraryArgs, // with --stale, model names
		ValidArgs: providers.Names(),
		RunE: func(cmd *cobra.Command, names []string) error {
			staleGiven := cmd.Flags().Changed("stale")
			switch {
			case len(a.PriceFiles) > 0 && (updates || staleGiven):
				return exit.Usagef("--prices cannot be used with --update or --stale, which are about the price table")
			case updates && (staleGiven || a.Format == "csv"), staleGiven && a.Format == "csv":
				return exit.Usagef("--update and --stale cannot be used together, or with -o csv")
			case updates && len(names) > 1:
				return exit.Usagef("--update takes one file, directory or URL")
			case dryRun && !updates:
				return exit.Usagef("--dry-run needs --update")
			case updates:
				a.Warn(errors.New("--update is deprecated; use mesh update"))
				return update.Run(cmd.Context(), a, strings.Join(names, ""), dryRun)
			case staleGiven:
				oldest, err := app.ParseDays("--stale", stale)
				if err != nil {
					return err
				}
				return stalePrices(a, names, oldest)
			case len(names) > 1:
				return exit.Usagef("mesh prices takes one provider")
			}
			return printList(a, names)
		},
	}
	flags := cmd.Flags()
	app.PricesFlag(a, cmd)
	flags.BoolVar(&updates, "update", false, "the same as mesh update")
	flags.BoolVar(&dryRun, "dry-run", false, "with --update, print changes and store nothing")
	_, _ = flags.MarkHidden("update"), flags.MarkHidden("dry-run") // the flags exist
	flags.StringVar(&stale, "stale", "", "list prices unverified for this `AGE`, such as 30d; exit with 1 if any")
	return cmd
}

func printList(a *app.App, names []string) error {
	list, from, err := a.PriceList()
	if err != nil {
		return err
	}
	f, _ := a.Facts()
	if len(names) == 1 {
		p, err := providers.Priced(list, a.Registry(), names[0], "")
		if err != nil {
			return err
		}
		if list, err = new(prices.List).With(list.Rows(p)...); err != nil {
			return err
		}
	}
	if a.Format == "csv" {
		return writePrices(a.Out, list)
	}
	rows := list.Rows("")
	return a.Print(pricings(rows), func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "prices as of %s, %s\n", f.AsOf().Format(time.DateOnly), from); err != nil {
			return err
		}
		return priceTable(w, rows)
	})
}

// pricings converts prices to numbers for JSON.
func pricings(rows []prices.Row) []discovery.ProviderPricing {
	list := make([]discovery.ProviderPricing, len(rows))
	for i, row := range rows {
		list[i] = discovery.PricingOf(row)
	}
	return list
}

// writePrices may write live prices and stored rows, which are untrusted text.
func writePrices(w io.Writer, list *prices.List) error {
	var text bytes.Buffer
	if err := list.WriteCSV(&text); err != nil {
		return err
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		return err
	}
	return output.CSV(w, rows)
}

// stalePrices prints current prices that weren't verified recently enough: for the
// given models, or for all models on sale. If it prints a price, the exit status is 1.
func stalePrices(a *app.App, models []string, oldest time.Duration) error {
	rows, err := rowsOf(a, models)
	if err != nil {
		return err
	}
	rows = stale(rows, a.Registry(), time.Now(), oldest, len(models) > 0)
	_, from := a.Facts()
	age := "the price table is from " + a.FactsAge() + ", " + from
	if len(rows) == 0 {
		a.Note("no price was verified longer ago; " + age)
	}
	err = a.Print(pricings(rows), func(w io.Writer) error {
		if len(rows) == 0 {
			return nil
		}
		columns := []table.Column{table.Plain("PROVIDER", 1), table.Key("MODEL"), table.Plain("MODE", 3), table.Plain("VERIFIED", 2), table.Free("SOURCE")}
		if err := output.Table(w, columns, table.Rows(rows, func(r *prices.Row) []string {
			return []string{string(r.Provider), r.ModelHint, output.Known(r.Mode), output.Known(r.VerifiedAt), output.Line(r.Source)}
		})); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w, age)
		return err
	})
	return cmp.Or(err, exit.If(len(rows) > 0))
}

// rowsOf returns all rows if models is empty.
func rowsOf(a *app.App, models []string) (rows []prices.Row, err error) {
	list := a.PriceTable()
	if len(models) == 0 {
		return list.Rows(""), nil
	}
	for _, model := range models {
		p, err := providers.Of("", model)
		if err != nil {
			return nil, err
		}
		found := list.ForModel(p, model)
		if len(found) == 0 {
			return nil, exit.Failedf("%w", providers.Unlisted(list, a.Registry(), p, model))
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// stale returns current rows verified longer ago than oldest. Models that are no longer
// sold are left out unless they were named.
func stale(rows []prices.Row, registry models.Registry, now time.Time, oldest time.Duration, named bool) []prices.Row {
	today := now.UTC().Format(time.RFC3339) // sorts like the days and times in the table
	sale := newSale(rows, registry, now)
	return slices.DeleteFunc(rows, func(r prices.Row) bool {
		age, known := r.Age(now)
		return r.InputPerMTok+r.OutputPerMTok == "" || r.ValidFrom > today || r.ValidUntil != "" && r.ValidUntil <= today ||
			known && age <= oldest || !named && sale.ended(r.Provider, r.ModelHint)
	})
}

type sale struct {
	registry models.Registry
	now      time.Time
	// name without build -> whether a build is sold
	builds map[models.ModelKey]bool
}

func newSale(rows []prices.Row, registry models.Registry, now time.Time) *sale {
	s := &sale{registry, now, map[models.ModelKey]bool{}}
	for key := range registry.All() {
		s.addBuild(key.Provider, key.ID)
	}
	for _, r := range rows {
		s.addBuild(r.Provider, r.ModelHint)
	}
	return s
}

func (s *sale) addBuild(p models.Provider, id string) {
	name := models.NormalizeModelID(p, id)
	if name == id || strings.HasSuffix(id, "-latest") || strings.Contains(id, "-preview") {
		return // an alias, or what the model has replaced
	}
	key := models.ModelKey{Provider: p, ID: name}
	_, gone := s.date(p, id)
	s.builds[key] = s.builds[key] || !gone
}

// date reports whether the registry dates a model, and whether the model is gone: retired
// or deprecated.
func (s *sale) date(p models.Provider, id string) (dated, gone bool) {
	date, dated := s.registry.RetirementDate(p, id)
	return dated, date == models.Deprecated || s.registry.IsRetiredOn(p, id, s.now)
}

// ended reports whether a model is no longer sold. A date for its id decides, else a date
// for its name without a build. If there's no date, it has ended once all known builds
// have.
func (s *sale) ended(p models.Provider, id string) bool {
	name := models.NormalizeModelID(p, id)
	for _, id := range []string{id, name} {
		if dated, gone := s.date(p, id); dated {
			return gone
		}
	}
	sold, known := s.builds[models.ModelKey{Provider: p, ID: name}]
	return known && !sold
}
