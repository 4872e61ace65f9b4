package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Top has the dearest threads and calls.
type Top struct {
	// Threads is the number of values of the label "thread", and ThreadRows the ten with the highest cost.
	Threads    int   `json:"threads"`
	ThreadRows []Row `json:"thread_rows"`
	// Calls are the ten calls with the highest cost.
	Calls []TopCall `json:"calls"`
	// Dearest is what the dearest 1 % of the calls with a known cost cost; nil with less than 100 of them. DearestShare is its part of the total.
	Dearest      *Estimate `json:"dearest"`
	DearestShare *float64  `json:"dearest_share"`
}

// TopCall is a call.
type TopCall struct {
	ModelID
	// ID is the id of the response; "" if it has none.
	ID   string     `json:"id"`
	Time time.Time  `json:"time"`
	USD  prices.USD `json:"usd"`
	// Input includes what was read from caches and written to them.
	Input  int64  `json:"input"`
	Output int64  `json:"output"`
	Thread string `json:"thread"`
}

// maxTop is the number of the dearest calls and threads.
const maxTop = 10

// topCalls are the dearest calls, in order.
type topCalls []dearCall

type dearCall struct {
	TopCall
	usd decimal.Decimal
}

func (t *topCalls) add(c *call) {
	if len(*t) == maxTop && c.usd.Cmp((*t)[maxTop-1].usd) < 0 {
		return
	}
	d := dearCall{TopCall{
		ModelID: c.id, ID: strings.Clone(cut(c.ID)), Time: c.Time, USD: usdOf(c.usd), Input: c.input, Output: c.output, Thread: strings.Clone(cut(c.thread())),
	}, c.usd}
	place, _ := slices.BinarySearchFunc(*t, d, compareCalls)
	all := slices.Insert(*t, place, d)
	*t = all[:min(len(all), maxTop)]
}

// compareCalls puts the dearest call first, and of equal ones the earliest.
func compareCalls(a, b dearCall) int {
	return cmp.Or(b.usd.Cmp(a.usd), a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Model, b.Model))
}

// top returns the dearest threads and calls.
func (c *collector) top() Top {
	now, before := c.current, c.previous
	top := Top{Threads: len(now.threads.rows), Calls: []TopCall{}}
	for _, d := range now.top {
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
