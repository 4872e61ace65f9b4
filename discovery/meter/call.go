package meter

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// call is a request that is counted.
type call struct {
	meter    *Meter
	target   endpoints.Target
	outside  bool // the Meter does not know the host
	labels   map[string]string
	path     string
	attempt  int
	billing  string
	request  *requestBody
	sent     time.Time
	reserved []reservation
}

// prepare returns the request as it is sent.
func (c *call) prepare(req *http.Request) (*http.Request, error) {
	c.request = newRequestBody()
	if c.meter.streamUsage && c.target.Endpoint == openAI && !signed(req) && endpoints.HasSegments(req.URL.Path, "chat/completions") {
		var err error
		if req, err = requestUsage(req); err != nil {
			return nil, err
		}
	}
	return c.request.watch(req), nil
}

// openAI is an endpoint that has counts in its streams only on request, and that is known to accept the request for them.
var openAI = endpoints.Endpoint{Form: string(models.OpenAI), Provider: string(models.OpenAI)}

// signed reports whether a request is signed for its body, as those to AWS are. It must not be changed.
func signed(req *http.Request) bool {
	return strings.HasPrefix(req.Header.Get("Authorization"), "AWS4-") || req.URL.Query().Has("X-Amz-Signature")
}

// requested returns the model of the request.
func (c *call) requested() string {
	if c.target.ID != "" {
		return c.target.ID
	}
	return c.request.Model()
}

// reserve sets aside what the budgets demand. Reading a stored response is free until it turns out to be a call.
func (c *call) reserve() (refusal *BudgetError) {
	if c.target.Stored || len(c.meter.budgets) == 0 || c.meter.free(c.billing) {
		return nil
	}
	c.reserved, refusal = c.meter.reserve(c.sent, c.labels)
	return refusal
}

// settle ends a call that has no record, or that was none: then it is nil.
func (c *call) settle(of *calls.Record) {
	c.meter.mu.Lock()
	defer c.meter.unlock()
	settle(c.reserved, of)
}

// fail records a call whose response cannot be counted, or that had none: its status is 0.
func (c *call) fail(status int, reason string) {
	if c.outside {
		c.settle(&unknown)
		return
	}
	r := c.record(status)
	r.Unpriced = reason
	c.finish(r)
}

// record returns the record of the call as far as the request has it.
func (c *call) record(status int) calls.Record {
	r := calls.Record{
		Platform: c.target.Platform, Region: c.target.Region, Time: c.sent.UTC(), Labels: c.labels, Path: c.path, Status: status, Attempt: c.attempt,
		Billing: c.billing, Incomplete: true, Stream: c.target.Stream, Duration: time.Since(c.sent),
	}
	c.name(&r, "")
	return r
}

// name sets the names of a record. answered is the model in the response, "" if there is none.
func (c *call) name(r *calls.Record, answered string) {
	requested := argument.Redact(c.requested()) // a key may have been given in its place
	names := c.target.Names(requested, argument.Redact(answered))
	r.Provider, r.Model, r.Profile, r.Requested = models.Provider(names.Provider), names.Model, names.Profile, ""
	if requested != names.Model {
		r.Requested = requested
	}
}

// callOf returns the call that a record is of, without its mode.
func callOf(r *calls.Record, used prices.Usage) prices.Call {
	return prices.Call{
		Provider: r.Provider, Platform: prices.Platform(r.Platform), Region: endpoints.PriceRegion(r.Platform, r.Region, r.Path), Profile: r.Profile,
		Model: r.Model, Usage: used, At: r.Time,
	}
}

// price sets the cost of a record and the mode of its prices, or why the cost is not known.
func (c *call) price(r *calls.Record, u prices.Usage) {
	cost, err := c.meter.prices.BriefCostOf(callOf(r, u))
	if err != nil {
		r.Unpriced, r.BoundUSD = err.Error(), boundOf(err)
		if r.Model == "" {
			r.Unpriced = withoutModel(r, u.Mode)
		}
		return
	}
	r.USD, r.Source = cost.USD, cost.SourceKey
	switch cost.Mode {
	case "": // the provider stated the charge
	case prices.ModeStandard:
		r.Mode = ""
	default:
		r.Mode = cost.Mode
	}
}

// withoutModel returns why a call is unpriced whose model is not known.
func withoutModel(r *calls.Record, mode string) string {
	switch {
	case usage.Timed(mode):
		return "the call is billed by duration"
	case strings.HasPrefix(r.Requested, "arn:"):
		return "the ARN in the path does not name the model"
	}
	return "neither the body of the request nor the response names the model"
}

// finish counts a record, once for each call.
func (c *call) finish(r calls.Record) {
	m := c.meter
	r = r.Redacted()
	m.mu.Lock()
	err := m.count(&r, c.reserved, true)
	m.unlock()
	if err != nil {
		m.logger.Error("meter: a call is in no sum", "error", err)
	}
	if r.USD == "" {
		m.warnUnpriced(&r)
	}
	r.Counts, r.HasCounts = prices.Usage{}, false // only the sums need them
	for _, record := range m.recorders {
		m.protect("a recorder", func() { record(r) })
	}
}

// count adds a record to the budgets, which have set reserved aside for it, or nothing, and to the sums if it is of this program. The Meter
// is locked.
func (m *Meter) count(r *calls.Record, reserved []reservation, own bool) error {
	if reserved == nil {
		m.charge(r)
	}
	settle(reserved, r)
	if !own {
		return nil
	}
	if !r.Incomplete || r.USD != "" {
		m.isCopy(r) // notes the call, which another program may fetch
	} else if h, waits := m.held[r.ID]; waits {
		m.held[r.ID] = held{h.reserved, r}
		return nil
	}
	return m.totals.Add(*r)
}

// protect calls a function of the user. Its panic must not reach the caller of the response.
func (m *Meter) protect(name string, call func()) {
	defer func() {
		if p := recover(); p != nil {
			m.logger.Error("meter: "+name+" panicked", "panic", p)
		}
	}()
	call()
}

// maxAttempt bounds what a header may state: no SDK repeats a request as often.
const maxAttempt = 1000

// attemptOfAWS matches the attempt in the header of the SDKs of AWS: "ttl=20261123T010203Z; attempt=2; max=3".
var attemptOfAWS = regexp.MustCompile(`(?:^|;)\s*attempt=([0-9]+)\s*(?:;|$)`)

// attempt returns which try of the same request it is, as the headers of an SDK state it, or 0. The SDKs of OpenAI and Anthropic
// count retries, those of AWS count attempts.
func attempt(header http.Header) int {
	text, first := header.Get("X-Stainless-Retry-Count"), 1
	if m := attemptOfAWS.FindStringSubmatch(header.Get("Amz-Sdk-Request")); text == "" && m != nil {
		text, first = m[1], 0
	}
	if text == "" { // an error of ParseUint allocates
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n > maxAttempt {
		return 0
	}
	return int(n) + first
}

// BudgetWarning is a [Budget] of which 80 % are spent.
type BudgetWarning struct {
	Budget
	// Label is the value of the budget's label; "" for a budget without one, and for calls without the label.
	Label string
	// Spent is what was spent in the period, in US dollars, a plain decimal.
	Spent prices.USD
}

// WithBudgetWarning sets a function that is called once for each budget, period and value of its label, when at least 80 % are spent. What is
// set aside is not spent. It is called on the goroutine that counts the call, in [Meter.Restore] or in [Meter.Follow], and must be safe for
// concurrent use. If it panics, the panic is logged.
func WithBudgetWarning(warn func(BudgetWarning)) Option {
	return func(m *config) error {
		if warn == nil {
			return invalid("warn", "", "must not be nil")
		}
		m.warn = warn
		return nil
	}
}

// unlock unlocks the Meter and delivers the warnings, which must not be called with the lock.
func (m *Meter) unlock() {
	var due []BudgetWarning
	for _, a := range m.budgets {
		due, a.warnings = append(due, a.warnings...), nil
	}
	m.mu.Unlock()
	if m.warn == nil {
		return
	}
	for _, w := range due {
		m.protect("the function of WithBudgetWarning", func() { m.warn(w) })
	}
}
