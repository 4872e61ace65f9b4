package bills

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// cent is the smallest sum of effects that gets a cause.
var cent = big.NewRat(1, 100)

// Compare compares a bill with calls, grouped by day, model and possibly more.
//
// Pass only calls that the bill covers: by its provider, in its period, charged, and on
// no other platform. Groups that show otherwise are refused with a [*ValueError].
func Compare(b *Bill, groups []calls.Group) (*Comparison, error) {
	if err := check(b, groups); err != nil {
		return nil, err
	}
	provider, _ := models.ParseProvider(string(b.Provider))
	c := &Comparison{Provider: provider, From: b.From.UTC(), To: b.To.UTC(), LimitPercent: cmp.Or(b.LimitPercent, DefaultLimitPercent)}
	all, byModel := cells(b, groups)
	c.OtherItems = []string{}
	if byModel {
		c.OtherItems = b.others()
	}
	for _, m := range all {
		m.setEffects()
	}
	setPartialDay(all, b.PartialDay)
	days, total := map[string]*cell{}, newCell()
	c.Days, c.Models, c.Cells = []Part{}, []Part{}, []Part{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		sum := newCell()
		for day, one := range all[name] {
			valueOf(days, day, newCell).add(one)
			sum.add(one)
			c.Cells = append(c.Cells, one.part(day, name))
		}
		total.add(sum)
		if byModel && name != "" {
			c.Models = append(c.Models, sum.part("", name))
		}
	}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		c.Days = append(c.Days, days[day].part(day, ""))
	}
	slices.SortFunc(c.Cells, func(x, y Part) int {
		return cmp.Or(abs(rat(y.DriftUSD)).Cmp(abs(rat(x.DriftUSD))), cmp.Compare(x.Day, y.Day), cmp.Compare(x.Model, y.Model))
	})
	c.Total, c.Calls = total.part("", ""), total.calls
	c.setRange(total, all)
	return c, nil
}

func (b *Bill) others() []string {
	names := map[string]bool{}
	for i := range b.Items {
		if item := &b.Items[i]; item.Model == "" && rat(item.USD).Sign() != 0 {
			names[item.Name] = true
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(names))...)
}

func (c *Comparison) setRange(total *cell, all map[string]model) {
	high := sub(&total.billed, &total.counted)
	low := new(big.Rat).Set(high)
	if total.unpriced > 0 {
		var dearest *big.Rat
		for _, m := range all {
			if mean := m.dearest(); mean != nil && (dearest == nil || mean.Cmp(dearest) > 0) {
				dearest = mean
			}
		}
		if dearest == nil {
			return
		}
		low.Sub(low, decimal.Round(mul(dearest, big.NewRat(int64(total.unpriced), 1)), places).Rat())
	}
	c.Range = Range{LowUSD: exact(low), HighUSD: exact(high)}
	if total.calls == 0 || total.billed.Sign() == 0 {
		return
	}
	limit := new(big.Rat).SetFloat64(c.LimitPercent)
	limit.Mul(limit, quo(abs(&total.billed), big.NewRat(100, 1)))
	least := new(big.Rat).Neg(limit)
	c.Within = low.Cmp(least) >= 0 && high.Cmp(limit) <= 0
	c.Known = c.Within || low.Cmp(limit) > 0 || high.Cmp(least) < 0
}

func (c *cell) part(day, model string) Part {
	name := day
	if day != "" && model != "" {
		name += " "
	}
	p := Part{
		Name: name + model, Day: day, Model: model, Unpriced: c.unpriced, Effects: []Effect{}, Cause: c.cause(),
		BilledUSD: exact(&c.billed), CountedUSD: exact(&c.counted), DriftUSD: exact(sub(&c.billed, &c.counted)),
	}
	for _, cause := range c.sorted() {
		if usd := c.effects[cause]; usd.Sign() != 0 {
			p.Effects = append(p.Effects, Effect{cause, exact(usd)})
		}
	}
	return p
}

// sorted returns the causes by effect, the largest first.
func (c *cell) sorted() []Cause {
	return slices.SortedFunc(maps.Keys(c.effects), func(x, y Cause) int {
		return cmp.Or(abs(c.effects[y]).Cmp(abs(c.effects[x])), cmp.Compare(x, y))
	})
}

// cause is documented at [Part].Cause.
func (c *cell) cause() Cause {
	all := new(big.Rat)
	for _, usd := range c.effects {
		all.Add(all, abs(usd))
	}
	hasTenths := func(cause Cause, n int64) bool {
		return c.effects[cause] != nil && abs(c.effects[cause]).Cmp(mul(all, big.NewRat(n, 10))) >= 0
	}
	if all.Cmp(cent) < 0 {
		return ""
	}
	switch first := c.sorted()[0]; {
	case hasTenths(first, 9):
		return first
	case hasTenths(AmountDiffers, 1):
		return AmountDiffers
	}
	return Mixed
}

// day -> cell
type model map[string]*cell

// cell is one day of a model. In sums of cells, only the fields in [cell.add] are set.
type cell struct {
	billed, counted           big.Rat
	billedFees, countedFees   big.Rat
	calls, unpriced           int
	noTokens                  bool // calls with a cost lack token counts
	billedKinds, countedKinds map[string]*kind
	effects                   map[Cause]*big.Rat
}

// kind is a token kind, either billed or counted.
type kind struct {
	usd, tokens big.Rat
	unknown     bool // the tokens are unknown
}

func newCell() *cell {
	return &cell{billedKinds: map[string]*kind{}, countedKinds: map[string]*kind{}, effects: map[Cause]*big.Rat{}}
}

// valueOf adds missing keys.
func valueOf[V any](values map[string]*V, key string, newValue func() *V) *V {
	v := values[key]
	if v == nil {
		v = newValue()
		values[key] = v
	}
	return v
}

// cells joins bill and calls. If no item names a model, byModel is false, and the calls
// for all models are compared with the items.
func cells(b *Bill, groups []calls.Group) (all map[string]model, byModel bool) {
	tokens := false
	for i := range b.Items {
		byModel = byModel || b.Items[i].Model != ""
		tokens = tokens || b.Items[i].Kind != KindOther
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
	for i := range groups {
		name := groups[i].Value(calls.ByModel)
		if !byModel {
			name = ""
		}
		at(name, groups[i].Value(calls.ByDay)).addCalls(&groups[i])
	}
	return all, byModel
}

// addItem adds a line item. In a bill by model, items without a model are fees, and so
// are refunds without tokens.
func (c *cell) addItem(item *Item, byModel bool) {
	usd := rat(item.USD)
	c.billed.Add(&c.billed, usd)
	if item.Kind == KindOther || byModel && item.Model == "" || usd.Sign() < 0 && item.Tokens == nil {
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

// addCalls adds calls. If they are all unpriced, their tokens are left out: they don't
// belong to a known cost.
func (c *cell) addCalls(n *calls.Group) {
	usd, fees := rat(n.USD), rat(n.FeesUSD)
	c.calls, c.unpriced = c.calls+n.Calls, c.unpriced+n.Unpriced
	c.counted.Add(&c.counted, usd)
	c.countedFees.Add(&c.countedFees, fees)
	if n.Calls == n.Unpriced {
		return
	}
	given := false
	for i, tokens := range (*usage.Typed[prices.USD])(&n.Usage).Counts() {
		if *tokens != 0 {
			name := strings.TrimPrefix(usage.CountKinds[i], "tool_") // input of tools is billed as input
			k := valueOf(c.countedKinds, name, newKind)
			k.tokens.Add(&k.tokens, new(big.Rat).SetInt64(*tokens))
			given = true
		}
	}
	c.noTokens = c.noTokens || !given && usd.Cmp(fees) != 0
}

// add adds another cell to c, which must be a sum.
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

// fees returns billed less counted fees; tokens returns the rest of the difference.
func (c *cell) fees() *big.Rat   { return sub(&c.billedFees, &c.countedFees) }
func (c *cell) tokens() *big.Rat { return sub(sub(&c.billed, &c.counted), c.fees()) }

func (c *cell) tokenCost() *big.Rat { return sub(&c.counted, &c.countedFees) }

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

// sameTokens compares only the totals: the kinds may differ.
func (c *cell) sameTokens() bool {
	billed, known := sumOf(c.billedKinds)
	counted, _ := sumOf(c.countedKinds)
	return known && c.unpriced == 0 && !c.noTokens && billed.Cmp(counted) == 0
}

// rat parses a plain decimal; "" is 0.
func rat(usd prices.USD) *big.Rat { return decimal.FromText(usd).Rat() }

// exact requires a finite decimal, which every sum is.
func exact(r *big.Rat) prices.USD { return prices.USD(decimal.Text(r)) }

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
func abs(a *big.Rat) *big.Rat    { return new(big.Rat).Abs(a) }
