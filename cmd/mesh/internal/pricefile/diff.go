package pricefile

import (
	"reflect"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Change is a row that an update adds, changes or removes.
type Change struct {
	Kind string                     `json:"kind"`
	Old  *discovery.ProviderPricing `json:"old"`
	New  *discovery.ProviderPricing `json:"new"`
}

// row returns the new row, or the one that is removed.
func (c Change) row() *discovery.ProviderPricing {
	if c.New == nil {
		return c.Old
	}
	return c.New
}

// priceKey is what a row has the price of.
type priceKey struct {
	provider              models.Provider
	model, mode, modality string
	threshold             int64
	from                  string
}

func keyOf(p *discovery.ProviderPricing) priceKey {
	key := priceKey{p.Provider, p.ModelHint, p.Mode, p.Modality, p.TierThresholdTokens, ""}
	if p.ValidFrom != nil {
		key.from = *p.ValidFrom
	}
	return key
}

// Diff returns the rows that differ in a price or in the end of its period, in the order of the new list.
func Diff(oldList, newList *prices.List) []Change {
	before, after := Pricings(oldList.Rows("")), Pricings(newList.Rows(""))
	old := make(map[priceKey]*discovery.ProviderPricing, len(before))
	for i := range before {
		old[keyOf(&before[i])] = &before[i]
	}
	changes := []Change{}
	for i := range after {
		key := keyOf(&after[i])
		switch was := old[key]; {
		case was == nil:
			changes = append(changes, Change{"added", nil, &after[i]})
		case !samePrices(was, &after[i]):
			changes = append(changes, Change{"changed", was, &after[i]})
		}
		delete(old, key)
	}
	for i := range before {
		if old[keyOf(&before[i])] != nil {
			changes = append(changes, Change{"removed", &before[i], nil})
		}
	}
	return changes
}

// samePrices reports whether the rows differ in their source or verification alone.
func samePrices(a, b *discovery.ProviderPricing) bool {
	x, y := *a, *b
	x.Source, x.VerifiedAt, y.Source, y.VerifiedAt = "", nil, "", nil
	return reflect.DeepEqual(x, y)
}

// Pricings returns rows with prices that are numbers in JSON.
func Pricings(rows []prices.Row) []discovery.ProviderPricing {
	pricings := make([]discovery.ProviderPricing, len(rows))
	for i, row := range rows {
		pricings[i] = discovery.PricingOf(row)
	}
	return pricings
}
