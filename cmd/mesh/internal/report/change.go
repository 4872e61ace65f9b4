package report

import (
	"fmt"
	"math/big"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Change splits the change of the known cost exactly: USD is More plus Mix plus Dearer.
type Change struct {
	USD prices.USD `json:"usd"`
	// More is the change of the number of counted calls times the earlier mean cost.
	More prices.USD `json:"more"`
	// Mix is the same by model, with the whole cost of new and ended models, less More.
	Mix prices.USD `json:"mix"`
	// Dearer is the rest: other costs per call of the same models. More and Mix are rounded half to even to 12 places.
	Dearer prices.USD `json:"dearer"`
	// Models and Labels are the rows that moved most; there is one of Labels for each of Report.Labels.
	Models Movers   `json:"models"`
	Labels []Movers `json:"labels"`
}

// Sentence returns the parts of the change, with amounts as amount writes them.
func (c *Change) Sentence(amount func(prices.USD) string) string {
	choose := func(usd prices.USD, positive, negative string) string {
		if decimal.FromText(usd).Sign() < 0 {
			return amount(usd) + " from " + negative
		}
		return amount(usd) + " from " + positive
	}
	return fmt.Sprintf("%s is %s, %s, and %s of the same models.", amount(c.USD), choose(c.More, "more calls", "fewer calls"),
		choose(c.Mix, "a move to dearer models", "a move to cheaper models"), choose(c.Dearer, "dearer calls", "cheaper calls"))
}

// Movers are the rows whose cost changed most, by its size: at most six, and one of Others. Their ChangeUSD add up to Change.USD.
type Movers struct {
	// Name is the name of the label; "model" for models.
	Name string  `json:"name"`
	Rows []Mover `json:"rows"`
}

// Mover is a row that moved.
type Mover struct {
	Value string `json:"value"`
	// Provider and Platform are the provider and the platform of a model.
	Provider models.Provider `json:"provider,omitempty"`
	Platform string          `json:"platform,omitempty"`
	// Others marks the row of all other values, and Values is their number.
	Others    bool       `json:"others,omitempty"`
	Values    int        `json:"values,omitempty"`
	ChangeUSD prices.USD `json:"change_usd"`
	// Calls and PreviousCalls are all calls, also those that failed.
	Calls         int `json:"calls"`
	PreviousCalls int `json:"previous_calls"`
}

// maxMovers is the number of rows of Movers, without the others.
const maxMovers = 6

// split returns the parts of the change, without movers.
func split(total item, all []item) *Change {
	n0, n1 := int64(total.previous.Counted), int64(total.current.Counted)
	more := times(n1-n0, total.previous)
	mix := new(big.Rat).Neg(more)
	for i := range all {
		mix.Add(mix, moved(all[i].current, all[i].previous))
	}
	change, roundedMore, roundedMix := total.change(), decimal.Round(more, places), decimal.Round(mix, places)
	return &Change{
		USD: usdOf(change), More: usdOf(roundedMore), Mix: usdOf(roundedMix), Dearer: usdOf(change.Sub(roundedMore).Sub(roundedMix)),
	}
}

// moved returns what the change of the number of calls of a model costs, at the earlier mean of the model.
func moved(current, previous *tally) *big.Rat {
	n0, n1 := int64(previous.orEmpty().Counted), int64(current.orEmpty().Counted)
	if n0 == 0 {
		return current.orEmpty().countedUSD().Rat()
	}
	return times(n1-n0, previous)
}

// times returns n times the mean cost of the counted calls.
func times(n int64, t *tally) *big.Rat {
	mean := fraction(t.countedUSD(), t.Counted)
	return mean.Mul(mean, new(big.Rat).SetInt64(n))
}

// movers returns the rows that moved most. It sorts the items by that.
func movers(name string, items []item) Movers {
	sortBy(items, func(it *item) decimal.Decimal { return most(it.change(), it.change().Neg()) })
	m := Movers{Name: name, Rows: []Mover{}}
	for _, it := range fold(items, maxMovers) {
		m.Rows = append(m.Rows, it.mover())
	}
	return m
}

func (it *item) mover() Mover {
	calls, previous := it.calls()
	return Mover{
		Value: it.value, Provider: it.id.Provider, Platform: it.id.Platform, Others: it.others, Values: it.values,
		ChangeUSD: usdOf(it.change()), Calls: calls, PreviousCalls: previous,
	}
}

// isComparable reports whether the parts of unpriced calls differ by at most one percent of the calls.
func isComparable(current, previous *tally) bool {
	if current.Calls == 0 || previous.Calls == 0 {
		return true
	}
	a, b := big.NewRat(int64(current.Unpriced), int64(current.Calls)), big.NewRat(int64(previous.Unpriced), int64(previous.Calls))
	difference := a.Sub(a, b)
	return difference.Abs(difference).Cmp(big.NewRat(1, 100)) <= 0
}
