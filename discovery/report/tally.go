package report

import (
	"math"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// tally adds up calls. It is small, since each value of a label has one.
type tally struct {
	calls, failed, unpriced, bounded, counted int
	// usd is of all known costs.
	usd                            decimal.Sum
	input, cached, written, output int64
	// rare has what few calls have; nil if there are none.
	rare *rareSums
}

// rareSums has the lower bounds of unpriced calls, and the known costs of failed ones and of subscriptions.
type rareSums struct{ more, failedUSD, subscription decimal.Sum }

// rares returns the rare sums, which are made when they are first used.
func (t *tally) rares() *rareSums {
	if t.rare == nil {
		t.rare = &rareSums{}
	}
	return t.rare
}

func (t *tally) add(c *call) {
	t.calls++
	if c.Failed {
		t.failed++
	}
	if c.known {
		t.usd.Add(c.usd)
	} else {
		t.unpriced++
	}
	if c.counted {
		t.counted++
	} else if !c.usd.IsZero() {
		t.rares().failedUSD.Add(c.usd)
	}
	if c.Subscription && c.known {
		t.rares().subscription.Add(c.usd)
	}
	if c.bounded {
		t.bounded++
		t.rares().more.Add(c.more)
	}
	t.input, t.cached = plus(t.input, c.input), plus(t.cached, c.cached)
	t.written, t.output = plus(t.written, c.written), plus(t.output, c.output)
}

func (t *tally) merge(o *tally) {
	t.calls += o.calls
	t.failed += o.failed
	t.unpriced += o.unpriced
	t.bounded += o.bounded
	t.counted += o.counted
	t.usd.Merge(&o.usd)
	if o.rare != nil {
		t.rares().more.Merge(&o.rare.more)
		t.rares().failedUSD.Merge(&o.rare.failedUSD)
		t.rares().subscription.Merge(&o.rare.subscription)
	}
	t.input, t.cached = plus(t.input, o.input), plus(t.cached, o.cached)
	t.written, t.output = plus(t.written, o.written), plus(t.output, o.output)
}

// less returns the calls that are not in a part of t.
func (t *tally) less(part *tally) (rest tally) {
	rest = tally{
		calls: t.calls - part.calls, failed: t.failed - part.failed, unpriced: t.unpriced - part.unpriced, bounded: t.bounded - part.bounded,
		counted: t.counted - part.counted,
		input:   t.input - part.input, cached: t.cached - part.cached, written: t.written - part.written, output: t.output - part.output,
	}
	rest.usd.Add(t.total().Sub(part.total()))
	left, all, others := rest.rares(), t.rares(), part.rares()
	left.more.Add(all.more.Total().Sub(others.more.Total()))
	left.failedUSD.Add(all.failedUSD.Total().Sub(others.failedUSD.Total()))
	left.subscription.Add(all.subscription.Total().Sub(others.subscription.Total()))
	return rest
}

// countedUSD returns the known cost of the counted calls.
func (t *tally) countedUSD() decimal.Decimal { return t.total().Sub(t.rares().failedUSD.Total()) }

// orEmpty returns the tally, or an empty one for nil.
func (t *tally) orEmpty() *tally {
	if t == nil {
		return &tally{}
	}
	return t
}

// sum returns the tally as plain data. A nil tally is empty.
func (t *tally) sum() Sum {
	t = t.orEmpty()
	return Sum{
		Calls: t.calls, Failed: t.failed, Unpriced: t.unpriced, Bounded: t.bounded, BoundUSD: t.rares().more.Total().String(), USD: t.usd.Total().String(),
		SubscriptionUSD: t.rares().subscription.Total().String(),
		Counted:         t.counted, PerCallUSD: quotient(t.countedUSD(), t.counted),
		Input: t.input, Cached: t.cached, Written: t.written, Output: t.output,
	}
}

// countedUSD returns the cost of the counted calls, as exactly as their mean is known.
func (s *Sum) countedUSD() decimal.Decimal {
	return decimal.FromText(s.PerCallUSD).Mul(decimal.New(int64(s.Counted), 0))
}

// add adds another sum.
func (s *Sum) add(more *Sum) {
	counted := s.countedUSD().Add(more.countedUSD())
	s.Calls += more.Calls
	s.Failed += more.Failed
	s.Unpriced += more.Unpriced
	s.Bounded += more.Bounded
	s.Counted += more.Counted
	s.USD, s.BoundUSD, s.SubscriptionUSD = money.Sum(s.USD, more.USD), money.Sum(s.BoundUSD, more.BoundUSD), money.Sum(s.SubscriptionUSD, more.SubscriptionUSD)
	s.PerCallUSD = quotient(counted, s.Counted)
	s.Input, s.Cached = plus(s.Input, more.Input), plus(s.Cached, more.Cached)
	s.Written, s.Output = plus(s.Written, more.Written), plus(s.Output, more.Output)
}

// total returns the known cost. A nil tally is empty.
func (t *tally) total() decimal.Decimal { return t.orEmpty().usd.Total() }

// plus returns the sum of two counts, or the largest number.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
