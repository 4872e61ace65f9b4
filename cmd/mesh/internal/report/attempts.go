package report

import "time"

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
