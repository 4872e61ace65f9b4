package main

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// places is the number of decimal places of a cost in the warehouse.
const places = 15

// key is a day and a model, or a day alone.
type key struct{ day, model string }

// sum is what the calls of a day cost, as the exact decimal and as a float64, and how many have no known cost.
type sum struct {
	exact    string
	usd      float64
	unpriced int
}

type sums map[key]sum

// total returns the exact sum of all days.
func (s sums) total() string {
	total := new(big.Rat)
	for key, day := range s {
		if key.model == "" {
			usd, _ := new(big.Rat).SetString(day.exact)
			total.Add(total, usd)
		}
	}
	return total.FloatString(places)
}

// inLedger prices the calls one by one, as they would be when they are made.
func inLedger(calls []call) (sums, error) {
	list, ledger := prices.BuiltIn(), prices.NewLedger()
	for i := range calls {
		c := &calls[i]
		cost, err := list.CostOf(prices.Call{Provider: c.provider, Model: c.model, Usage: c.usage, At: c.at, Mode: c.mode})
		if err != nil && !errors.Is(err, prices.ErrUnpriced) {
			return nil, err
		}
		ledger.Add(c.at, &cost) // the zero cost counts as unpriced
	}
	return ledgerSums(ledger)
}

func ledgerSums(ledger *prices.Ledger) (sums, error) {
	all := sums{}
	for _, day := range ledger.Days() {
		total, err := newSum(day.USD)
		if err != nil {
			return nil, err
		}
		total.unpriced = day.Unpriced
		all[key{day.Day, ""}] = total
		for model, usd := range day.ByModel {
			if all[key{day.Day, model}], err = newSum(usd); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// newSum returns an amount of a ledger in the format of the warehouse.
func newSum(amount string) (sum, error) {
	exact, ok := new(big.Rat).SetString(amount)
	if !ok {
		return sum{}, fmt.Errorf("%q is not a decimal", amount)
	}
	usd, _ := exact.Float64()
	return sum{exact: exact.FloatString(places), usd: usd}, nil
}
