package report

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Tries are calls that were the first try of a request, or retries.
type Tries struct {
	Calls  int `json:"calls"`
	Failed int `json:"failed"`
	// P50MS and P95MS are percentiles (nearest rank) of the duration of successful, complete calls in milliseconds, with an error of at
	// most 1 %; nil without such calls. Timed is their number.
	Timed int      `json:"timed"`
	P50MS *float64 `json:"p50_ms"`
	P95MS *float64 `json:"p95_ms"`
}

// Latency has the errors and latencies of a model.
type Latency struct {
	ModelID
	Others bool `json:"others,omitempty"`
	// First are the first tries, with the calls of which the try is not known. Retries are known to be retries.
	First   Tries `json:"first"`
	Retries Tries `json:"retries"`
	// Rate is the part of First that failed.
	Rate *float64 `json:"rate"`
}

// Failures are the failed calls.
type Failures struct {
	First   Tries `json:"first"`
	Retries Tries `json:"retries"`
	// Rate is the part of First that failed, and PreviousRate the same part of Previous.
	Rate         *float64 `json:"rate"`
	PreviousRate *float64 `json:"previous_rate"`
	// Statuses has the failed calls by status, the most frequent first. Status 0 is without a response.
	Statuses []Status `json:"statuses"`
}

// Status is an HTTP status and the number of failed calls with it.
type Status struct {
	Status int `json:"status"`
	Calls  int `json:"calls"`
}

// attempts adds up first tries and retries.
type attempts struct{ first, retries triesSum }

// triesSum adds up tries and their durations in milliseconds.
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

// tries returns the sum as plain data.
func (t *triesSum) tries() Tries {
	t.Timed, t.P50MS, t.P95MS = t.times.count(), t.times.percentile(50), t.times.percentile(95)
	return t.Tries
}

func (t *triesSum) rate() *float64 { return share(t.Failed, t.Calls) }

// gamma is the ratio of the bounds of a bucket. The value of a bucket differs by at most (gamma-1)/(gamma+1), which is less than 1 %, from
// all that are in it.
const (
	gamma    = 1.02
	logGamma = 0.01980262729617973 // its natural logarithm
)

// bucketOf returns the number of the bucket of a positive value: those above gamma^(n-1), up to gamma^n.
func bucketOf(value float64) int { return int(math.Ceil(math.Log(value) / logGamma)) }

// valueOf returns the value in the middle of a bucket.
func valueOf(bucket int) float64 { return 2 * math.Pow(gamma, float64(bucket)) / (gamma + 1) }

// histogram counts positive values by their size. Few of the possible buckets are used.
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

// percentile returns the value of nearest rank; nil without values.
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

// costs sorts costs by their size.
type costs map[int]*costBucket

type costBucket struct {
	calls int
	usd   decimal.Sum
}

// add adds a cost. Calls that cost nothing are not among the dearest.
func (c costs) add(usd decimal.Decimal) {
	f := usd.Float64()
	if f == 0 {
		return
	}
	b := made(c, bucketOf(f))
	b.calls++
	b.usd.Add(usd)
}

// dearest returns what the dearest n calls cost. If only a part of the calls of the last bucket is among them, their cost is the mean of the
// bucket, between its bounds.
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

// bound returns what n calls cost at the upper bound of a bucket.
func bound(bucket, n int) decimal.Decimal {
	usd, err := decimal.FromFloat(math.Pow(gamma, float64(bucket)))
	if err != nil { // of a bucket that no amount is in
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
