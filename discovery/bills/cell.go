package bills

import (
	"cmp"
	"math/big"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// model is a model of a bill by days.
type model map[string]*cell

// cell is a day of a model. It is also the sum of cells, of which only what [cell.add] adds is set.
type cell struct {
	billed, counted           big.Rat
	billedFees, countedFees   big.Rat
	calls, unpriced           int
	noTokens                  bool // of calls with a cost
	billedKinds, countedKinds map[string]*kind
	effects                   map[Cause]*big.Rat
}

// kind is a kind of token on one side.
type kind struct {
	usd, tokens big.Rat
	unknown     bool // tokens
}

func newCell() *cell {
	return &cell{billedKinds: map[string]*kind{}, countedKinds: map[string]*kind{}, effects: map[Cause]*big.Rat{}}
}

// valueOf returns the value of a key, which it adds if it is new.
func valueOf[V any](values map[string]*V, key string, newValue func() *V) *V {
	v := values[key]
	if v == nil {
		v = newValue()
		values[key] = v
	}
	return v
}

// cells returns the models of a bill and of calls. byModel reports whether an item names a model; without one, the calls of all models are
// beside the items.
func cells(b *Bill, counted []Counted) (all map[string]model, byModel bool) {
	tokens := false
	for i := range b.Items {
		byModel = byModel || b.Items[i].Model != ""
		tokens = tokens || b.Items[i].Kind != KindFee
	}
	byModel = byModel || !tokens
	all = map[string]model{}
	at := func(name, day string) *cell {
		if all[name] == nil {
			all[name] = model{}
		}
		return valueOf(all[name], day, newCell)
	}
	for i := range b.Items {
		item := &b.Items[i]
		at(item.Model, item.Day).addItem(item, byModel)
	}
	for i := range counted {
		name := counted[i].Model
		if !byModel {
			name = ""
		}
		at(name, counted[i].Day).addCalls(&counted[i])
	}
	return all, byModel
}

// addItem adds a line item. Of a bill by model, one without a model is a fee, and so is a refund without tokens.
func (c *cell) addItem(item *Item, byModel bool) {
	usd := rat(item.USD)
	c.billed.Add(&c.billed, usd)
	if item.Kind == KindFee || byModel && item.Model == "" || usd.Sign() < 0 && item.Tokens == nil {
		c.billedFees.Add(&c.billedFees, usd)
		return
	}
	k := valueOf(c.billedKinds, cmp.Or(item.Kind, KindTokens), newKind)
	k.usd.Add(&k.usd, usd)
	switch {
	case item.Tokens != nil:
		k.tokens.Add(&k.tokens, new(big.Rat).SetInt64(*item.Tokens))
	case usd.Sign() != 0:
		k.unknown = true
	}
}

func newKind() *kind { return new(kind) }

// addCalls adds calls. The tokens of calls that are all unpriced are not those of a known cost.
func (c *cell) addCalls(n *Counted) {
	usd, fees := rat(n.USD), rat(n.FeesUSD)
	c.calls, c.unpriced = c.calls+n.Calls, c.unpriced+n.Unpriced
	c.counted.Add(&c.counted, usd)
	c.countedFees.Add(&c.countedFees, fees)
	if n.Calls == n.Unpriced {
		return
	}
	given := false
	for i, tokens := range (*usage.Usage)(&n.Usage).Counts() {
		if *tokens != 0 {
			name := strings.TrimPrefix(usage.CountKinds[i], "tool_") // input of tools is billed as input
			k := valueOf(c.countedKinds, name, newKind)
			k.tokens.Add(&k.tokens, new(big.Rat).SetInt64(*tokens))
			given = true
		}
	}
	c.noTokens = c.noTokens || !given && usd.Cmp(fees) != 0
}

// add adds a cell to a sum.
func (c *cell) add(o *cell) {
	c.billed.Add(&c.billed, &o.billed)
	c.counted.Add(&c.counted, &o.counted)
	c.calls, c.unpriced = c.calls+o.calls, c.unpriced+o.unpriced
	for cause, usd := range o.effects {
		c.effect(cause, usd)
	}
}

func (c *cell) effect(cause Cause, usd *big.Rat) {
	if usd.Sign() == 0 {
		return
	}
	if c.effects[cause] == nil {
		c.effects[cause] = new(big.Rat)
	}
	c.effects[cause].Add(c.effects[cause], usd)
}

// fees returns the billed less the counted fees, and tokens the rest of the difference.
func (c *cell) fees() *big.Rat   { return sub(&c.billedFees, &c.countedFees) }
func (c *cell) tokens() *big.Rat { return sub(sub(&c.billed, &c.counted), c.fees()) }

// tokenCost is the counted cost of tokens.
func (c *cell) tokenCost() *big.Rat { return sub(&c.counted, &c.countedFees) }

// sumOf returns all tokens, and whether they are known.
func sumOf(kinds map[string]*kind) (sum *big.Rat, known bool) {
	sum = new(big.Rat)
	for _, k := range kinds {
		if k.unknown {
			return nil, false
		}
		sum.Add(sum, &k.tokens)
	}
	return sum, true
}

// sameTokens reports whether the tokens of both sides are known and the same, also if they have other kinds.
func (c *cell) sameTokens() bool {
	billed, known := sumOf(c.billedKinds)
	counted, _ := sumOf(c.countedKinds)
	return known && c.unpriced == 0 && !c.noTokens && billed.Cmp(counted) == 0
}

// rat returns the value of a plain decimal; "" is 0.
func rat(usd prices.USD) *big.Rat { return decimal.FromText(usd).Rat() }

// exact returns a sum, which has a finite decimal.
func exact(r *big.Rat) prices.USD { return prices.USD(decimal.Text(r)) }

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
func abs(a *big.Rat) *big.Rat    { return new(big.Rat).Abs(a) }
