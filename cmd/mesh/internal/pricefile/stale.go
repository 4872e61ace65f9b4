package pricefile

import (
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Stale returns the rows with a price in force that was verified longer ago than an age. named reports whether the rows are those of
// models that were asked for by name: such a model may be retired.
func Stale(rows []discovery.ProviderPricing, now time.Time, oldest time.Duration, named bool) []discovery.ProviderPricing {
	stale := []discovery.ProviderPricing{}
	for i := range rows {
		if r := &rows[i]; sold(r, now, named) {
			if age, known := r.Age(now); !known || age > oldest {
				stale = append(stale, *r)
			}
		}
	}
	return stale
}

// sold reports whether the row has a price in force. A model that is retired or deprecated may be asked for by name alone.
func sold(r *discovery.ProviderPricing, now time.Time, named bool) bool {
	priced := r.InputPerMTok != nil || r.OutputPerMTok != nil
	date, _ := models.RetirementDate(r.Provider, r.ModelHint)
	ended := date == models.Deprecated || models.IsRetiredOn(r.Provider, r.ModelHint, now)
	return priced && begun(r.ValidFrom, now, true) && !begun(r.ValidUntil, now, false) && (named || !ended)
}

// begun reports whether a limit of a period has passed; open is the result for none.
func begun(limit *string, now time.Time, open bool) bool {
	if limit == nil {
		return open
	}
	at, err := dates.Time(*limit)
	return err == nil && !now.Before(at)
}
