package report

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Tries counts either first tries or retries.
type Tries struct {
	Calls  int `json:"calls"`
	Failed int `json:"failed"`
	// Timed counts successful, complete calls with a duration, and P50MS and P95MS are
	// percentiles (nearest rank) of these durations in milliseconds, at most 1 % off. They
	// are nil if Timed is 0.
	Timed int      `json:"timed"`
	P50MS *float64 `json:"p50_ms"`
	P95MS *float64 `json:"p95_ms"`
}

// Latency has a model's errors and latencies.
type Latency struct {
	ModelID
	Others bool `json:"others,omitempty"`
	// First includes calls without a try number; Retries doesn't.
	First   Tries `json:"first"`
	Retries Tries `json:"retries"`
	// Rate is First.Failed divided by First.Calls.
	Rate *float64 `json:"rate"`
}

// Failures counts failed calls.
type Failures struct {
	First   Tries `json:"first"`
	Retries Tries `json:"retries"`
	// Rate is First.Failed divided by First.Calls, and PreviousRate the same for Previous.
	Rate         *float64 `json:"rate"`
	PreviousRate *float64 `json:"previous_rate"`
	// Statuses counts failed calls by status, the most frequent first. Status 0 means no
	// response.
	Statuses []Status `json:"statuses"`
}

// Status counts failed calls with an HTTP status.
type Status struct {
	Status int `json:"status"`
	Calls  int `json:"calls"`
}

type attempts struct{ first, retries triesSum }

type triesSum struct {
	Tries
	times histogram
}

func (a *attempts) add(c *call) {
	t := &a.first
	if c.Attempt > 1 {
		t = &a.retries
	}
	t.Calls++
	if c.Failed() {
		t.Failed++
	}
	if !c.Failed() && !c.Incomplete && c.Duration > 0 {
		t.times.add(float64(c.Duration) / float64(time.Millisecond))
	}
}

func (t *triesSum) tries() Tries {
	t.Timed, t.P50MS, t.P95MS = t.times.count(), t.times.percentile(50), t.times.percentile(95)
	return t.Tries
}

func (t *triesSum) rate() *float64 { return share(t.Failed, t.Calls) }

// gamma is the ratio between a bucket's bounds. A bucket's middle differs by at most
// (gamma-1)/(gamma+1), which is less than 1 %, from all values in it.
const (
	gamma    = 1.02
	logGamma = 0.01980262729617973 // natural logarithm
)

// bucketOf returns n for values above gamma^(n-1), up to gamma^n. The value must be
// positive.
func bucketOf(value float64) int { return int(math.Ceil(math.Log(value) / logGamma)) }

// valueOf returns a bucket's middle.
func valueOf(bucket int) float64 { return 2 * math.Pow(gamma, float64(bucket)) / (gamma + 1) }

// histogram maps bucket -> count. It is sparse: few buckets are used.
type histogram map[int]int

func (h *histogram) add(value float64) {
	if *h == nil {
		*h = histogram{}
	}
	(*h)[bucketOf(value)]++
}

func (h histogram) count() (n int) {
	for _, calls := range h {
		n += calls
	}
	return n
}

// percentile uses the nearest rank and returns nil if the histogram is empty.
func (h histogram) percentile(percent int) *float64 {
	n := h.count()
	rank := (n*percent + 99) / 100
	for _, bucket := range slices.Sorted(maps.Keys(h)) {
		if rank -= h[bucket]; rank <= 0 {
			value := valueOf(bucket)
			return &value
		}
	}
	return nil
}

// costs maps bucket -> calls and their cost.
type costs map[int]*costBucket

type costBucket struct {
	calls int
	usd   decimal.Sum
}

// add skips calls that cost nothing, which are never among the dearest.
func (c costs) add(usd decimal.Decimal) {
	f := usd.Float64()
	if f == 0 {
		return
	}
	b := made(c, bucketOf(f))
	b.calls++
	b.usd.Add(usd)
}

// dearest estimates the sum of the n highest costs. If the last bucket is only partly
// needed, its calls count with their mean, and the bucket's bounds limit the error.
func (c costs) dearest(n int) *Estimate {
	var sum, low, high decimal.Decimal
	for _, bucket := range slices.Backward(slices.Sorted(maps.Keys(c))) {
		if n <= 0 {
			break
		}
		b := c[bucket]
		part := b.usd.Total()
		low, high = sum.Add(part), sum.Add(part)
		if b.calls > n {
			mean := fraction(part, b.calls)
			part = decimal.Round(mean.Mul(mean, new(big.Rat).SetInt64(int64(n))), places)
			low, high = sum.Add(least(part, bound(bucket-1, n))), sum.Add(most(part, bound(bucket, n)))
		}
		n -= b.calls
		sum = sum.Add(part)
	}
	return &Estimate{USD: usdOf(sum), Low: usdOf(low), High: usdOf(high), Method: MethodCostBuckets}
}

// bound returns n times a bucket's upper bound.
func bound(bucket, n int) decimal.Decimal {
	usd, err := decimal.FromFloat(math.Pow(gamma, float64(bucket)))
	if err != nil { // a bucket that no amount is in
		return decimal.Decimal{}
	}
	return decimal.Round(usd, places).Mul(decimal.New(int64(n), 0))
}

func least(a, b decimal.Decimal) decimal.Decimal {
	return slices.MinFunc([]decimal.Decimal{a, b}, decimal.Decimal.Cmp)
}

func most(a, b decimal.Decimal) decimal.Decimal {
	return slices.MaxFunc([]decimal.Decimal{a, b}, decimal.Decimal.Cmp)
}
