package report

import "time"

// attempts adds up first tries and retries.
type attempts struct{ first, retries triesSum }

// triesSum adds up tries and their durations in milliseconds.
type triesSum struct {
	calls, failed int
	times         histogram
}

func (a *attempts) add(c *call) {
	t := &a.first
	if c.retry {
		t = &a.retries
	}
	t.calls++
	if c.failed {
		t.failed++
	}
	if !c.failed && c.Complete && c.Duration > 0 {
		if t.times == nil {
			t.times = histogram{}
		}
		t.times[bucketOf(milliseconds(c.Duration))]++
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (a *attempts) merge(o *attempts) {
	a.first.merge(&o.first)
	a.retries.merge(&o.retries)
}

func (t *triesSum) merge(o *triesSum) {
	t.calls += o.calls
	t.failed += o.failed
	if t.times == nil {
		t.times = histogram{}
	}
	t.times.merge(o.times)
}

// tries returns the sum as plain data.
func (t *triesSum) tries() Tries {
	return Tries{Calls: t.calls, Failed: t.failed, Timed: t.times.count(), P50MS: t.times.percentile(50), P95MS: t.times.percentile(95)}
}

func (t *triesSum) rate() *float64 { return share(t.failed, t.calls) }
