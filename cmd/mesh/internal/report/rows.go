package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// item is a row before formatting. current or previous may be nil if that period has no
// calls.
type item struct {
	id                ModelID
	value             string
	current, previous *tally
	// model is nil except in model rows with current calls.
	model *model
	// values counts the values if others is set.
	others bool
	values int
	// set by sortBy
	key decimal.Decimal
}

func (it *item) change() decimal.Decimal { return it.current.total().Sub(it.previous.total()) }

func (it *item) calls() (current, previous int) {
	return it.current.orEmpty().Calls, it.previous.orEmpty().Calls
}

func (it *item) row(total decimal.Decimal) Row {
	change := it.change()
	return Row{
		Value: it.value, Others: it.others, Values: it.values, Sum: it.current.sum(), Previous: it.previous.sum(),
		ChangeUSD: usdOf(change), Change: ratio(change, it.previous.total()), Share: ratio(it.current.total(), total),
	}
}

// add requires a row marked others, or an empty item.
func (it *item) add(more *item) {
	if it.current == nil {
		it.current, it.previous = &tally{}, &tally{}
	}
	it.current.merge(more.current.orEmpty())
	it.previous.merge(more.previous.orEmpty())
	it.values += max(more.values, 1)
}

// Others adds up rows that a table doesn't show.
func (r *Report) Others(rows []Row) Row {
	rest := item{others: true, current: &tally{}, previous: &tally{}}
	for _, row := range rows {
		rest.add(&item{current: row.Sum.tally(), previous: row.Previous.tally(), values: row.Values})
	}
	return rest.row(decimal.FromText(r.Total.USD))
}

// sortItems sorts by current cost, highest first, with others last.
func sortItems(items []item) {
	sortBy(items, func(it *item) decimal.Decimal { return it.current.total() })
}

// sortBy sorts by an amount, highest first. There can be 200,000 rows: rare tie-breakers
// come last.
func sortBy(items []item, key func(*item) decimal.Decimal) {
	for i := range items {
		items[i].key = key(&items[i])
	}
	slices.SortFunc(items, func(a, b item) int {
		if a.others != b.others {
			if a.others {
				return 1
			}
			return -1
		}
		if c := b.key.Cmp(a.key); c != 0 {
			return c
		}
		return cmp.Or(
			b.previous.total().Cmp(a.previous.total()), cmp.Compare(b.current.orEmpty().Calls, a.current.orEmpty().Calls), cmp.Compare(a.value, b.value), compareIDs(a.id, b.id))
	})
}

func compareIDs(a, b ModelID) int {
	return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Platform, b.Platform), cmp.Compare(a.Model, b.Model))
}

func modelItems(current, previous *aggregate) []item {
	var items []item
	for id := range keys(current.models, previous.models) {
		it := item{id: id, value: id.Model}
		if m := current.models[id]; m != nil {
			it.current, it.model = &m.tally, m
		}
		if m := previous.models[id]; m != nil {
			it.previous = &m.tally
		}
		items = append(items, it)
	}
	if current.others.Calls+previous.others.Calls > 0 {
		items = append(items, item{others: true, current: &current.others.tally, previous: &previous.others.tally, model: current.others})
	}
	sortItems(items)
	return items
}

func totalsBy(models []item, name func(ModelID) string, total decimal.Decimal) []Row {
	sums := map[string]*item{}
	var order []item
	for _, m := range models {
		if m.others {
			order = append(order, m)
		} else {
			made(sums, name(m.id)).add(&m)
		}
	}
	for key, sum := range sums {
		sum.value, sum.values = key, 0
		order = append(order, *sum)
	}
	sortItems(order)
	return rowsOf(order, total)
}

// rowsOf calculates shares from total, the known cost for all calls.
func rowsOf(items []item, total decimal.Decimal) []Row {
	rows := []Row{}
	for _, it := range items {
		rows = append(rows, it.row(total))
	}
	return rows
}

// fold keeps the first items and merges the rest into one row.
func fold(items []item, most int) (folded []item) {
	rest := item{others: true}
	for i, it := range items {
		if i < most && !it.others {
			folded = append(folded, it)
		} else {
			rest.add(&it)
		}
	}
	if rest.current != nil {
		folded = append(folded, rest)
	}
	return folded
}

// labelItems leaves out calls without the label.
func labelItems(name string, current, previous *aggregate) (items []item, folded bool) {
	now, before := made(current.names.labels, name), made(previous.names.labels, name)
	for value := range keys(now.rows, before.rows) {
		items = append(items, item{value: value, current: now.rows[value], previous: before.rows[value]})
	}
	folded = now.folded() || before.folded()
	if folded {
		items = append(items, item{others: true, current: &now.others, previous: &before.others})
	}
	sortItems(items)
	return items, folded
}

// without returns the calls that lack a label.
func without(name string, current, previous *aggregate) item {
	return item{current: current.total.less(&made(current.names.labels, name).all), previous: previous.total.less(&made(previous.names.labels, name).all)}
}

const maxLabelRows = 200

func newLabel(name string, items []item, folded bool, unlabelled item, total decimal.Decimal) Label {
	l := Label{Name: name, Folded: folded, Values: len(items)}
	shown := fold(items, maxLabelRows)
	if folded { // the others are no value
		l.Values--
		shown[len(shown)-1].values--
	}
	if now, before := unlabelled.calls(); now+before > 0 {
		shown = append(shown, unlabelled)
	}
	l.Rows = rowsOf(shown, total)
	return l
}

func keys[K comparable, A, B any](a map[K]A, b map[K]B) map[K]struct{} {
	all := make(map[K]struct{}, len(a))
	for key := range a {
		all[key] = struct{}{}
	}
	for key := range b {
		all[key] = struct{}{}
	}
	return all
}

// Top has the most expensive threads and calls.
type Top struct {
	// Threads counts values for the label "thread"; ThreadRows has the ten with the highest
	// cost.
	Threads    int   `json:"threads"`
	ThreadRows []Row `json:"thread_rows"`
	// Calls has the ten most expensive calls.
	Calls []TopCall `json:"calls"`
	// Dearest is the cost for the most expensive 1 % of the calls in Sum.Averaged; nil if
	// there are fewer than 100. DearestShare is Dearest divided by the total.
	Dearest      *Estimate `json:"dearest"`
	DearestShare *float64  `json:"dearest_share"`
}

// TopCall is one call.
type TopCall struct {
	ModelID
	// ID is the response id, or "".
	ID   string     `json:"id"`
	Time time.Time  `json:"time"`
	USD  prices.USD `json:"usd"`
	// Input includes tokens read from caches and written to them.
	Input  int64  `json:"input"`
	Output int64  `json:"output"`
	Thread string `json:"thread"`
	// Labels has the labels that are also in Report.Labels.
	Labels map[string]string `json:"labels,omitempty"`
}

// maxTop limits calls and threads.
const maxTop = 10

// topCalls is sorted by compareCalls.
type topCalls []dearCall

type dearCall struct {
	TopCall
	usd decimal.Decimal
	all map[string]string // all labels
}

func (t *topCalls) add(c *call) {
	if len(*t) == maxTop && c.usd.Cmp((*t)[maxTop-1].usd) < 0 {
		return
	}
	d := dearCall{usd: c.usd, all: c.Labels, TopCall: TopCall{
		ModelID: c.id, ID: strings.Clone(cut(c.ID)), Time: c.Time, USD: usdOf(c.usd), Input: c.input, Output: c.output, Thread: strings.Clone(cut(c.thread())),
	}}
	place, _ := slices.BinarySearchFunc(*t, d, compareCalls)
	if place < maxTop {
		d.all = maps.Clone(d.all)
	}
	all := slices.Insert(*t, place, d)
	*t = all[:min(len(all), maxTop)]
}

// compareCalls sorts by cost, highest first, then by time.
func compareCalls(a, b dearCall) int {
	return cmp.Or(b.usd.Cmp(a.usd), a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Model, b.Model))
}

func (c *collector) top() Top {
	now, before := c.current, c.previous
	top := Top{Threads: len(now.threads.rows), Calls: []TopCall{}}
	names := c.labelNames()
	for _, d := range now.top {
		for _, name := range names {
			if value := d.all[name]; value != "" && name != labelThread {
				if d.Labels == nil {
					d.Labels = map[string]string{}
				}
				d.Labels[name] = cut(value)
			}
		}
		top.Calls = append(top.Calls, d.TopCall)
	}
	threads := make([]item, 0, len(now.threads.rows))
	for name, sum := range now.threads.rows {
		threads = append(threads, item{value: name, current: sum, previous: before.threads.rows[name]})
	}
	sortItems(threads)
	top.ThreadRows = rowsOf(threads[:min(len(threads), maxTop)], now.total.total())
	if n := now.total.Counted / 100; n > 0 {
		top.Dearest = now.costs.dearest(n)
		top.DearestShare = ratio(decimal.FromText(top.Dearest.USD), now.total.total())
	}
	return top
}

// Users has the cost per user and day, from the label "user".
type Users struct {
	// Days counts pairs: a user and a day on which that user made a call.
	Days         int `json:"days"`
	PreviousDays int `json:"previous_days"`
	// PerDayUSD is the known cost for calls with this label divided by Days, rounded half to
	// even to 12 decimal places.
	PerDayUSD         prices.USD `json:"per_day_usd"`
	PreviousPerDayUSD prices.USD `json:"previous_per_day_usd"`
}

// maxUserDays limits the pairs. With more, Report.Users is nil.
const maxUserDays = 100_000

type userDay struct {
	user string
	day  int64
}

// userDays keeps up to maxUserDays+1 pairs, to see that there are too many.
type userDays struct {
	usd  decimal.Sum
	seen map[userDay]struct{}
}

func (u *userDays) add(pair userDay, c *call) {
	if c.known {
		u.usd.Add(c.usd)
	}
	if _, known := u.seen[pair]; !known && len(u.seen) <= maxUserDays {
		pair.user = strings.Clone(cut(pair.user))
		u.seen[pair] = struct{}{}
	}
}

// users returns nil if there are no users, or too many.
func users(current, previous *userDays) *Users {
	now, before := len(current.seen), len(previous.seen)
	if now == 0 || max(now, before) > maxUserDays {
		return nil
	}
	return &Users{
		Days: now, PerDayUSD: quotient(current.usd.Total(), now), PreviousDays: before, PreviousPerDayUSD: quotient(previous.usd.Total(), before),
	}
}
