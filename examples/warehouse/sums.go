package main

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// places is the number of decimal places in the warehouse.
const places = 15

// key is a day and a model, or just a day.
type key struct{ day, model string }

// sum is the cost of a day's calls, and how many have no known cost.
type sum struct {
	exact    string
	usd      float64
	unpriced int
}

type sums map[key]sum

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

// inTotals prices calls one by one, as a program would when it makes them.
func inTotals(all []call) (sums, error) {
	list := prices.BuiltIn()
	byModel, err := calls.NewTotals("day", "model")
	if err != nil {
		return nil, err
	}
	byDay, err := calls.NewTotals("day")
	if err != nil {
		return nil, err
	}
	for i := range all {
		c := &all[i]
		cost, err := list.CostOf(prices.Call{Provider: c.provider, Model: c.model, Usage: c.usage, At: c.at, Mode: c.mode})
		if err != nil && !errors.Is(err, prices.ErrUnpriced) {
			return nil, err
		}
		r := calls.Record{Provider: c.provider, Model: c.model, Time: c.at, USD: cost.USD}
		if err != nil {
			r.Unpriced = err.Error()
		}
		if err := errors.Join(byModel.Add(r), byDay.Add(r)); err != nil {
			return nil, err
		}
	}
	return groupSums(byModel.Groups(), byDay.Groups())
}

// groupSums returns sums by day, and by day and model, except for models with only
// unpriced calls.
func groupSums(models, days []calls.Group) (sums, error) {
	all := sums{}
	for _, g := range models {
		if g.Calls == g.Unpriced {
			continue
		}
		s, err := newSum(string(g.USD))
		if err != nil {
			return nil, err
		}
		all[key{g.Values[0], g.Values[1]}] = s
	}
	for _, g := range days {
		s, err := newSum(string(g.USD))
		if err != nil {
			return nil, err
		}
		s.unpriced = g.Unpriced
		all[key{g.Values[0], ""}] = s
	}
	return all, nil
}

// newSum formats an amount as the warehouse does.
func newSum(amount string) (sum, error) {
	exact, ok := new(big.Rat).SetString(amount)
	if !ok {
		return sum{}, fmt.Errorf("%q is not a decimal", amount)
	}
	usd, _ := exact.Float64()
	return sum{exact: exact.FloatString(places), usd: usd}, nil
}
