package main

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// places is the number of decimal places of a cost in the warehouse.
const places = 15

// key is a day and a model, or a day alone.
type key struct{ day, model string }

// sum is what the calls of a day cost, as the exact decimal and as the float64 of a ledger, and how many have no known cost.
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
	prices, ledger := discovery.BuiltInPrices(), discovery.NewLedger()
	exact := make(map[key]*big.Rat) // a ledger returns float64 only
	for i := range calls {
		c := &calls[i]
		cost, err := prices.CostOf(discovery.Call{Provider: c.provider, Model: c.model, Usage: c.usage, At: c.at, Mode: c.mode})
		if err != nil && !errors.Is(err, discovery.ErrUnpriced) {
			return nil, err
		}
		ledger.Add(c.at, &cost) // the zero cost counts as unpriced
		if err == nil {
			if err := add(exact, c, cost.Exact); err != nil {
				return nil, err
			}
		}
	}
	return ledgerSums(ledger, exact), nil
}

// add adds a cost to the sums of its day and of its day and model.
func add(exact map[key]*big.Rat, c *call, cost string) error {
	usd, ok := new(big.Rat).SetString(cost)
	if !ok {
		return fmt.Errorf("%q is not a decimal", cost)
	}
	day := c.at.Format("2006-01-02")
	for _, k := range []key{{day, ""}, {day, c.model}} {
		if exact[k] == nil {
			exact[k] = new(big.Rat)
		}
		exact[k].Add(exact[k], usd)
	}
	return nil
}

func ledgerSums(ledger *discovery.Ledger, exact map[key]*big.Rat) sums {
	all := sums{}
	for _, day := range ledger.Days() {
		all[key{day.Day, ""}] = sum{decimal(exact[key{day.Day, ""}]), day.USD, day.Unpriced}
		for model, usd := range day.ByModel {
			all[key{day.Day, model}] = sum{exact: decimal(exact[key{day.Day, model}]), usd: usd}
		}
	}
	return all
}

// decimal formats an amount as the warehouse does; nil is 0.
func decimal(usd *big.Rat) string {
	if usd == nil {
		usd = new(big.Rat)
	}
	return usd.FloatString(places)
}
