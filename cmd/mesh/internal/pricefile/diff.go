package pricefile

import (
	"github.com/mesh-gateway/mesh-go/discovery"
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

// Diff returns the rows that differ in a price or in the end of its period, in the order of the new list.
func Diff(oldList, newList *prices.List) []Change {
	old := make(map[prices.Row]prices.Row)
	for _, row := range oldList.Rows("") {
		old[keyOf(&row)] = row
	}
	changes := []Change{}
	for _, row := range newList.Rows("") {
		key := keyOf(&row)
		was, known := old[key]
		switch {
		case !known:
			changes = append(changes, Change{"added", nil, pricing(row)})
		case !samePrices(was, row):
			changes = append(changes, Change{"changed", pricing(was), pricing(row)})
		}
		delete(old, key)
	}
	for _, row := range oldList.Rows("") {
		if _, removed := old[keyOf(&row)]; removed {
			changes = append(changes, Change{"removed", pricing(row), nil})
		}
	}
	return changes
}

// keyOf returns what a row has the price of.
func keyOf(r *prices.Row) prices.Row {
	return prices.Row{Provider: r.Provider, ModelHint: r.ModelHint, Mode: r.Mode, Modality: r.Modality, TierThresholdTokens: r.TierThresholdTokens, ValidFrom: r.ValidFrom}
}

// samePrices reports whether the rows differ in their source or verification alone.
func samePrices(a, b prices.Row) bool {
	a.Source, a.VerifiedAt = b.Source, b.VerifiedAt
	return a == b
}

func pricing(row prices.Row) *discovery.ProviderPricing {
	p := discovery.PricingOf(row)
	return &p
}

// Pricings returns rows with prices that are numbers in JSON.
func Pricings(rows []prices.Row) []discovery.ProviderPricing {
	pricings := make([]discovery.ProviderPricing, len(rows))
	for i, row := range rows {
		pricings[i] = discovery.PricingOf(row)
	}
	return pricings
}
