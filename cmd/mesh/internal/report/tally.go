package report

import (
	"math"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// tally is a Sum in progress. Keep it small: each label value has one.
type tally struct {
	Calls, Failed, Unpriced, Bounded, Counted int
	Input, Cached, Written, Output            int64
	// usd includes failed calls.
	usd decimal.Sum
	// nil for most tallies
	rare *rareSums
}

// rareSums has lower bounds for unpriced calls, known costs for calls that aren't
// counted, and subscription costs.
type rareSums struct{ more, failedUSD, subscription decimal.Sum }

func (t *tally) rares() *rareSums {
	if t.rare == nil {
		t.rare = &rareSums{}
	}
	return t.rare
}

func (t *tally) add(c *call) {
	if !c.WithoutLine {
		t.Calls++
	}
	if c.Failed() {
		t.Failed++
	}
	if c.known {
		t.usd.Add(c.usd)
	} else {
		t.Unpriced++
	}
	if c.counted {
		t.Counted++
	} else if !c.usd.IsZero() {
		t.rares().failedUSD.Add(c.usd)
	}
	if c.Subscribed() && c.known {
		t.rares().subscription.Add(c.usd)
	}
	if c.bounded {
		t.Bounded++
		t.rares().more.Add(c.more)
	}
	t.Input, t.Cached = plus(t.Input, c.input), plus(t.Cached, c.cached)
	t.Written, t.Output = plus(t.Written, c.written), plus(t.Output, c.output)
}

func (t *tally) merge(o *tally) { t.addTimes(o, 1) }

// less subtracts part from t, in a new tally.
func (t *tally) less(part *tally) *tally {
	rest := &tally{}
	rest.addTimes(t, 1)
	rest.addTimes(part, -1)
	return rest
}

func (t *tally) addTimes(o *tally, n int) {
	t.Calls += n * o.Calls
	t.Failed += n * o.Failed
	t.Unpriced += n * o.Unpriced
	t.Bounded += n * o.Bounded
	t.Counted += n * o.Counted
	times, factor := int64(n), decimal.New(int64(n), 0)
	t.Input, t.Cached = plus(t.Input, times*o.Input), plus(t.Cached, times*o.Cached)
	t.Written, t.Output = plus(t.Written, times*o.Written), plus(t.Output, times*o.Output)
	t.usd.Add(o.usd.Total().Mul(factor))
	if o.rare != nil {
		t.rares().more.Add(o.rare.more.Total().Mul(factor))
		t.rares().failedUSD.Add(o.rare.failedUSD.Total().Mul(factor))
		t.rares().subscription.Add(o.rare.subscription.Total().Mul(factor))
	}
}

func (t *tally) countedUSD() decimal.Decimal { return t.total().Sub(t.rares().failedUSD.Total()) }

func (t *tally) orEmpty() *tally {
	if t == nil {
		return &tally{}
	}
	return t
}

// sum returns zeros if t is nil.
func (t *tally) sum() Sum {
	t = t.orEmpty()
	return Sum{
		Calls: t.Calls, Failed: t.Failed, Unpriced: t.Unpriced, Bounded: t.Bounded, BoundUSD: usdOf(t.rares().more.Total()), USD: usdOf(t.total()),
		SubscriptionUSD: usdOf(t.rares().subscription.Total()), Averaged: t.Counted, PerCallUSD: quotient(t.countedUSD(), t.Counted),
		Input: t.Input, Cached: t.Cached, Written: t.Written, Output: t.Output,
	}
}

// tally inverts sum, except that the counted calls' cost is as exact as their mean.
func (s *Sum) tally() *tally {
	t := &tally{
		Calls: s.Calls, Failed: s.Failed, Unpriced: s.Unpriced, Bounded: s.Bounded, Counted: s.Averaged,
		Input: s.Input, Cached: s.Cached, Written: s.Written, Output: s.Output,
	}
	usd := decimal.FromText(s.USD)
	t.usd.Add(usd)
	t.rares().more.Add(decimal.FromText(s.BoundUSD))
	t.rares().subscription.Add(decimal.FromText(s.SubscriptionUSD))
	t.rares().failedUSD.Add(usd.Sub(decimal.FromText(s.PerCallUSD).Mul(decimal.New(int64(s.Averaged), 0))))
	return t
}

// total returns 0 if t is nil.
func (t *tally) total() decimal.Decimal { return t.orEmpty().usd.Total() }

// plus adds counts, up to the largest int64. Only Build gets there: calls.Read rejects
// such lines.
func plus(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Special labels: threads are in Top, and the ids differ for nearly every call.
const (
	labelThread   = "thread"
	labelThreadID = "thread_id"
	labelMessage  = "message"
	labelUser     = "user"
)

// setting is shared by all aggregates. It is read-only, except for the budgets.
type setting struct {
	Options
	window
	retirement models.Registry
	budgets    []*budgetSum
}

// aggregate adds up one period.
type aggregate struct {
	*setting
	// details is false for the previous period, which needs fewer sums.
	details bool
	total   tally
	tries   attempts
	status  map[int]int
	days    map[int64]*tally
	models  map[ModelID]*model
	// others has the models beyond maxModels.
	others *model
	*names
	reasons map[reasonKey]*reasonSum
	top     topCalls
	costs   costs
}

func newAggregate(s *setting, details bool) *aggregate {
	return &aggregate{
		setting: s, details: details, names: newNames(), status: map[int]int{}, days: map[int64]*tally{}, models: map[ModelID]*model{}, others: newModel(),
		reasons: map[reasonKey]*reasonSum{}, costs: costs{},
	}
}

func (a *aggregate) add(c *call) {
	a.total.add(c)
	a.tries.add(c)
	m := a.model(c.id)
	m.add(c)
	a.names.add(c, a.setting)
	if !c.known {
		a.addReason(c)
	}
	if !a.details {
		return
	}
	made(a.days, c.day).add(c)
	m.addDetails(c, a)
	if c.Failed() {
		count(a.status, c.Status, -1, maxStatuses)
	}
	if c.known {
		a.top.add(c)
	}
	if c.counted {
		a.costs.add(c.usd)
	}
}

// maxStatuses exists because files can have any number.
const maxStatuses = 1000

// count counts a key, or others if there are most keys already.
func count[K comparable](all map[K]int, key, others K, most int) {
	if _, known := all[key]; !known && len(all) >= most {
		key = others
	}
	all[key]++
}

// made adds a zero value if the key is missing.
func made[K comparable, V any](all map[K]*V, key K) *V {
	value := all[key]
	if value == nil {
		value = new(V)
		all[key] = value
	}
	return value
}

// model returns a.others beyond maxModels.
func (a *aggregate) model(id ModelID) *model {
	m := a.models[id]
	switch {
	case m != nil:
		return m
	case len(a.models) >= maxModels:
		return a.others
	}
	m = newModel()
	a.models[id] = m
	if a.details {
		m.retirement = a.retirement.CheckOn(id.Platform, id.Provider, id.Model, a.now)
		m.retires = retires(&m.retirement, a.today)
	}
	return m
}

// wanted reports whether a label may be reported.
func (s *setting) wanted(name string) bool {
	if s.Labels == nil {
		return name != "" && name != labelThread && name != labelThreadID && name != labelMessage
	}
	return slices.Contains(s.Labels, name)
}

type model struct {
	tally
	tries   attempts
	days    history
	caching caching
	// if retires is set, same compares the costs with the replacement
	retirement models.RetirementStatus
	retires    bool
	same       replacing
	// label value -> calls, for retiring models
	users map[user]int
}

func newModel() *model { return &model{days: history{}, users: map[user]int{}} }

func (m *model) addDetails(c *call, a *aggregate) {
	m.tries.add(c)
	if c.known {
		m.days.add(c.day, c.usd)
	}
	if c.cached+c.written > 0 {
		m.caching.add(c, a.Prices)
	}
	if m.retires {
		m.addRetiring(c, a)
	}
}

func (m *model) addRetiring(c *call, a *aggregate) {
	if m.retirement.Replacement != "" {
		m.same.add(c, m.retirement.Replacement, a.now, a.Prices)
	}
	for name, value := range c.Labels {
		if a.wanted(name) && value != "" {
			count(m.users, user{name, cut(value)}, user{}, maxUsers)
		}
	}
}

// user is a label value.
type user struct{ label, value string }

const maxUsers = 1000
