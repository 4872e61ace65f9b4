package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// maxTop is the number of the dearest calls and threads.
const maxTop = 10

// topCalls are the dearest calls, in order.
type topCalls struct{ calls []dearCall }

type dearCall struct {
	TopCall
	usd decimal.Decimal
}

func (t *topCalls) add(c *call) {
	if len(t.calls) == maxTop && c.usd.Cmp(t.calls[maxTop-1].usd) < 0 {
		return
	}
	t.insert(dearCall{TopCall{
		ModelID: c.id, ID: strings.Clone(cut(c.ID)), Time: c.Time, USD: c.usd.String(), Input: c.input, Output: c.output, Thread: strings.Clone(cut(c.thread())),
	}, c.usd})
}

func (t *topCalls) insert(d dearCall) {
	place, _ := slices.BinarySearchFunc(t.calls, d, compareCalls)
	t.calls = slices.Insert(t.calls, place, d)
	t.calls = t.calls[:min(len(t.calls), maxTop)]
}

// compareCalls puts the dearest call first, and of equal ones the earliest.
func compareCalls(a, b dearCall) int {
	return cmp.Or(b.usd.Cmp(a.usd), a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Model, b.Model))
}

func (t *topCalls) merge(o *topCalls) {
	for _, d := range o.calls {
		t.insert(d)
	}
}

// top returns the dearest threads and calls.
func (c *collector) top() Top {
	now, before := c.current, c.previous
	top := Top{Threads: len(now.threads.rows), ThreadRows: []Row{}, Calls: []TopCall{}}
	for _, d := range now.top.calls {
		top.Calls = append(top.Calls, d.TopCall)
	}
	threads := make([]item, 0, len(now.threads.rows))
	for name, sum := range now.threads.rows {
		threads = append(threads, item{value: name, current: sum, previous: before.threads.rows[name]})
	}
	sortItems(threads)
	for i := range threads[:min(len(threads), maxTop)] {
		top.ThreadRows = append(top.ThreadRows, threads[i].row(now.total.total()))
	}
	if n := now.total.counted / 100; n > 0 {
		top.Dearest = now.costs.dearest(n)
		top.DearestShare = ratio(decimal.FromText(top.Dearest.USD), now.total.total())
	}
	return top
}
