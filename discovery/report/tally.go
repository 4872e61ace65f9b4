package report

import (
	"math"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// tally adds up calls.
type tally struct {
	calls, failed, unpriced, bounded, counted int
	// usd is of all known costs, countedUSD that of the counted calls, and more the lower bounds of the others.
	usd, countedUSD, more          decimal.Sum
	input, cached, written, output int64
}

func (t *tally) add(c *call) {
	t.calls++
	if c.failed {
		t.failed++
	}
	switch {
	case !c.known:
		t.unpriced++
	case c.counted:
		t.counted++
		t.countedUSD.Add(c.usd)
		fallthrough
	default:
		t.usd.Add(c.usd)
	}
	if c.bounded {
		t.bounded++
		t.more.Add(c.more)
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
	t.countedUSD.Merge(&o.countedUSD)
	t.more.Merge(&o.more)
	t.input, t.cached = plus(t.input, o.input), plus(t.cached, o.cached)
	t.written, t.output = plus(t.written, o.written), plus(t.output, o.output)
}

// less returns the calls that are not in others, which are a part of t. Counts of tokens that were cut off at the largest int64 stay so.
func (t *tally) less(others *tally) tally {
	var usd, countedUSD, more decimal.Sum
	usd.Add(t.usd.Total().Sub(others.usd.Total()))
	countedUSD.Add(t.countedUSD.Total().Sub(others.countedUSD.Total()))
	more.Add(t.more.Total().Sub(others.more.Total()))
	return tally{
		t.calls - others.calls, t.failed - others.failed, t.unpriced - others.unpriced, t.bounded - others.bounded, t.counted - others.counted,
		usd, countedUSD, more, t.input - others.input, t.cached - others.cached, t.written - others.written, t.output - others.output,
	}
}

// sum returns the tally as plain data. A nil tally is empty.
func (t *tally) sum() Sum {
	if t == nil {
		t = &tally{}
	}
	return Sum{
		Calls: t.calls, Failed: t.failed, Unpriced: t.unpriced, Bounded: t.bounded, MoreUSD: t.more.Total().String(), USD: t.usd.Total().String(),
		Counted: t.counted, PerCallUSD: quotient(t.countedUSD.Total(), t.counted),
		Input: t.input, Cached: t.cached, Written: t.written, Output: t.output,
	}
}

// total returns the known cost. A nil tally is empty.
func (t *tally) total() decimal.Decimal {
	if t == nil {
		return decimal.Decimal{}
	}
	return t.usd.Total()
}

// plus returns the sum of two counts, or the largest number.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
