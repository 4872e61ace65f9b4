package billing

import (
	"maps"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Quantity is how much of a line item was used.
type Quantity struct {
	Amount decimal.Decimal
	Unit   string
}

// add returns the sum of two quantities; nil if one is not known or they have different units.
func (q *Quantity) add(other *Quantity) *Quantity {
	if q == nil || other == nil || q.Unit != other.Unit {
		return nil
	}
	return &Quantity{q.Amount.Add(other.Amount), q.Unit}
}

// Quantities returns the sums of the day by line item. A line item whose results have several units, or one of which has no quantity,
// has none.
func (d *Day) Quantities() map[string]*Quantity {
	all := make(map[string]*Quantity)
	for i := range d.costs {
		c := &d.costs[i]
		sum := c.quantity
		if before, more := all[c.LineItem]; more {
			sum = before.add(sum)
		}
		all[c.LineItem] = sum
	}
	maps.DeleteFunc(all, func(_ string, sum *Quantity) bool { return sum == nil })
	return all
}
