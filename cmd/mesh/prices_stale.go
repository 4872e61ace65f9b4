package main

import (
	"fmt"
	"io"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// stalePrices prints the prices in force now that were verified longer ago than an age: those of the models, or of all models
// that are sold today. The error is errFound if there is one.
func (a *app) stalePrices(models []string, oldest time.Duration) error {
	list, from := a.priceList()
	now := time.Now()
	rows := pricingsOf(list.Rows(""))
	if len(models) > 0 {
		rows = nil
	}
	for _, model := range models {
		p, err := lookup.Provider("", model)
		if err != nil {
			return err
		}
		found := pricingsOf(list.ForModel(p, model))
		if len(found) == 0 {
			return failedf("%s is not in the price list", model)
		}
		rows = append(rows, found...)
	}
	stale := []discovery.ProviderPricing{}
	for i := range rows {
		if r := &rows[i]; sold(r, now, len(models) > 0) {
			if age, known := r.Age(now); !known || age > oldest {
				stale = append(stale, *r)
			}
		}
	}
	table := "the price table is of " + tableAge(list.AsOf()) + ", " + from
	if len(stale) == 0 {
		fmt.Fprintf(a.errs, "mesh: no price was verified longer ago; %s\n", table)
		return a.print(stale, func(io.Writer) error { return nil })
	}
	if err := a.print(stale, func(w io.Writer) error { return staleTable(w, stale, table) }); err != nil {
		return err
	}
	return errFound
}

// tableAge returns the day of a price table and its age, as in "2026-11-22 (3d old)".
func tableAge(asOf time.Time) string {
	const day = 24 * time.Hour
	return fmt.Sprintf("%s (%dd old)", asOf.Format(time.DateOnly), max(0, time.Since(asOf)/day))
}

// sold reports whether the row has a price in force. A retired model is not sold, but may be asked for by name.
func sold(r *discovery.ProviderPricing, now time.Time, named bool) bool {
	priced := r.InputPerMTok != nil || r.OutputPerMTok != nil
	return priced && begun(r.ValidFrom, now, true) && !begun(r.ValidUntil, now, false) && (named || !models.IsRetiredOn(r.Provider, r.ModelHint, now))
}

// begun reports whether a limit of a period has passed; open is the result for none.
func begun(limit *string, now time.Time, open bool) bool {
	if limit == nil {
		return open
	}
	at, err := lookup.Time(*limit)
	return err == nil && !now.Before(at)
}
