package billing

import "github.com/mesh-gateway/mesh-go/discovery/internal/decimal"

// Quantity is how much of a line item was used.
type Quantity struct {
	Amount decimal.Decimal
	Unit   string
}

// Quantities returns the sums of the day by line item. A line item whose results have several units, or one of which has no quantity,
// has none.
func (d *Day) Quantities() map[string]Quantity {
	all, unknown := make(map[string]Quantity), make(map[string]bool)
	for i := range d.costs {
		c := &d.costs[i]
		before, known := all[c.LineItem]
		switch {
		case c.quantity == nil, known && before.Unit != c.quantity.Unit:
			unknown[c.LineItem] = true
		default:
			all[c.LineItem] = Quantity{before.Amount.Add(c.quantity.Amount), c.quantity.Unit}
		}
	}
	for item := range unknown {
		delete(all, item)
	}
	return all
}
