package prices

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// stalePrices prints the prices in force now that were verified longer ago than an age: those of the models, or of all models
// that are sold today. The error is errFound if there is one.
func stalePrices(a *app.App, models []string, oldest time.Duration) error {
	list, from := a.PriceTable()
	rows, err := rowsOf(list, models)
	if err != nil {
		return err
	}
	rows = stale(rows, time.Now(), oldest, len(models) > 0)
	age := "the price table is of " + app.TableAge(list.AsOf()) + ", " + from
	if len(rows) == 0 {
		a.Note("no price was verified longer ago; " + age)
	}
	err = a.Print(pricings(rows), func(w io.Writer) error {
		if len(rows) == 0 {
			return nil
		}
		columns := []table.Column{table.Plain("PROVIDER", 1), table.Key("MODEL"), table.Plain("MODE", 3), table.Plain("VERIFIED", 2), table.Free("SOURCE")}
		if err := output.Table(w, columns, table.Rows(rows, func(r *prices.Row) []string {
			return []string{string(r.Provider), r.ModelHint, known(r.Mode), known(r.VerifiedAt), output.Line(r.Source)}
		})); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w, age)
		return err
	})
	if err != nil {
		return err
	}
	return exit.If(len(rows) > 0)
}

// rowsOf returns the rows of the models, or all rows for none.
func rowsOf(list *prices.List, models []string) (rows []prices.Row, err error) {
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
			return nil, exit.Failedf("%s is not in the price list", model)
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// stale returns the rows with a price in force that was verified longer ago than an age. A model that is retired or deprecated may be named
// to be among them.
func stale(rows []prices.Row, now time.Time, oldest time.Duration, named bool) []prices.Row {
	today := now.UTC().Format(time.RFC3339) // which sorts as the days and times of the table
	return slices.DeleteFunc(rows, func(r prices.Row) bool {
		date, _ := models.RetirementDate(r.Provider, r.ModelHint)
		ended := date == models.Deprecated || models.IsRetiredOn(r.Provider, r.ModelHint, now)
		age, known := r.Age(now)
		return r.InputPerMTok+r.OutputPerMTok == "" || r.ValidFrom > today || r.ValidUntil != "" && r.ValidUntil <= today || ended && !named || known && age <= oldest
	})
}
