package meter

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/lowerbound"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

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

// prepare lets the call find the model in the request body. If [WithStreamUsage] is set,
// it also requests usage from OpenAI's chat streams.
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

// openAI streams have counts only on request, and are known to accept the option.
var openAI = endpoints.Endpoint{Form: string(models.OpenAI), Provider: string(models.OpenAI)}

// signed reports whether the body is signed, as for AWS: then it must not be changed.
func signed(req *http.Request) bool {
	return strings.HasPrefix(req.Header.Get("Authorization"), "AWS4-") || req.URL.Query().Has("X-Amz-Signature")
}

func (c *call) requested() string {
	if c.target.ID != "" {
		return c.target.ID
	}
	return c.request.Model()
}

// reserve sets budgets aside. Fetching a stored response sets nothing aside, because its
// POST usually has.
func (c *call) reserve() (refusal *BudgetError) {
	if c.target.Stored || len(c.meter.budgets) == 0 || c.meter.free(c.billing) {
		return nil
	}
	c.reserved, refusal = c.meter.reserve(c.sent, c.labels)
	return refusal
}

// settle ends an unrecorded call. If it wasn't a call at all, the record is nil.
func (c *call) settle(of *calls.Record) {
	c.meter.mu.Lock()
	defer c.meter.unlock()
	settle(c.reserved, of)
}

// fail records an uncountable response. If there was no response, status is 0.
func (c *call) fail(status int, reason string) {
	if c.outside {
		c.settle(&unknown)
		return
	}
	r := c.record(status)
	r.Unpriced = reason
	c.finish(r)
}

// record fills in what the request and the status tell.
func (c *call) record(status int) calls.Record {
	r := calls.Record{
		Platform: c.target.Platform, Region: c.target.Region, Time: c.sent.UTC(), Labels: c.labels, Path: c.path, Status: status, Attempt: c.attempt,
		Billing: c.billing, Incomplete: true, Stream: c.target.Stream, Duration: time.Since(c.sent),
	}
	c.name(&r, "")
	return r
}

// name sets the provider, model, profile and requested model. answered is the response's
// model, or "".
func (c *call) name(r *calls.Record, answered string) {
	requested := argument.Redact(c.requested()) // a key may have been passed as the model
	names := c.target.Names(requested, argument.Redact(answered))
	r.Provider, r.Model, r.Profile, r.Requested = models.Provider(names.Provider), names.Model, names.Profile, ""
	if requested != names.Model {
		r.Requested = requested
	}
}

// callOf leaves Mode empty, so that the mode in used applies.
func callOf(r *calls.Record, used prices.Usage) prices.Call {
	return prices.Call{
		Provider: r.Provider, Platform: prices.Platform(r.Platform), Region: endpoints.PriceRegion(r.Platform, r.Region, r.Path), Profile: r.Profile,
		Model: r.Model, Usage: used, At: r.Time,
	}
}

// price sets USD and Mode, or the reason if there's no price.
func (c *call) price(r *calls.Record, u prices.Usage) {
	cost, err := c.meter.prices.BriefCostOf(callOf(r, u))
	if err != nil {
		r.Unpriced, r.BoundUSD = err.Error(), lowerbound.Of(err)
		if r.Model == "" {
			r.Unpriced = withoutModel(r, u.Mode)
		}
		return
	}
	r.USD, r.SourceKey = cost.USD, cost.SourceKey
	switch cost.Mode {
	case "": // the provider stated the charge
	case prices.ModeStandard:
		r.Mode = ""
	default:
		r.Mode = cost.Mode
	}
}

// withoutModel returns the reason for an unpriced call without a model.
func withoutModel(r *calls.Record, mode string) string {
	switch {
	case usage.Timed(mode):
		return "the call is billed by duration"
	case strings.HasPrefix(r.Requested, "arn:"):
		return "the ARN in the path does not name the model"
	}
	return "neither the body of the request nor the response names the model"
}

// finish counts the call and passes it to the recorders. Call it only once per call.
func (c *call) finish(r calls.Record) {
	m := c.meter
	r = r.Redacted()
	m.mu.Lock()
	err := m.count(&r, c.reserved, true)
	m.unlock()
	if err != nil {
		m.logger.Error("meter: a call was not counted", "error", err)
	}
	if r.USD == "" {
		m.warnUnpriced(&r)
	}
	r.Counts, r.HasCounts = prices.Usage{}, false // only the sums need them
	for _, record := range m.recorders {
		m.protect("a recorder", func() { record(r) })
	}
}

// count adds a record to the budgets and, if own, to the sums. A nil reserved means
// that nothing was set aside. The Meter must be locked.
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
		broken := *r // a copy keeps r off the heap
		m.held[r.ID] = held{h.reserved, &broken}
		return nil
	}
	return m.totals.Add(*r)
}

// protect calls a user's function. Its panic must not reach the response's reader.
func (m *Meter) protect(name string, call func()) {
	defer func() {
		if p := recover(); p != nil {
			m.logger.Error("meter: "+name+" panicked", "panic", p)
		}
	}()
	call()
}

// maxAttempt limits an untrusted header: SDKs retry far less often.
const maxAttempt = 1000

// attemptOfAWS matches AWS SDK headers such as "ttl=20261123T010203Z; attempt=2;
// max=3".
var attemptOfAWS = regexp.MustCompile(`(?:^|;)\s*attempt=([0-9]+)\s*(?:;|$)`)

// attempt returns the try from SDK headers, starting at 1, or 0 if unknown. OpenAI and
// Anthropic SDKs count retries; AWS SDKs count attempts.
func attempt(header http.Header) int {
	if header["X-Stainless-Retry-Count"] == nil && header["Amz-Sdk-Request"] == nil { // Get is slower
		return 0
	}
	text, first := header.Get("X-Stainless-Retry-Count"), 1
	if m := attemptOfAWS.FindStringSubmatch(header.Get("Amz-Sdk-Request")); text == "" && m != nil {
		text, first = m[1], 0
	}
	if text == "" { // ParseUint would allocate an error
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n > maxAttempt {
		return 0
	}
	return int(n) + first
}

// BudgetWarning reports a [Budget] that's 80 % spent.
type BudgetWarning struct {
	Budget
	// LabelValue is the value of the budget's label, or "" if the budget or the call has no
	// label.
	LabelValue string
	// SpentUSD was spent in this period.
	SpentUSD prices.USD
}

// WithBudgetWarning sets a function to call when at least 80 % is spent: once for each
// budget, period and label value. Amounts that are only set aside don't count.
//
// The function runs on the goroutine that counts the call, in [Meter.Restore] or in
// [Meter.Follow]. It must be safe for concurrent use. If it panics, the panic is
// logged.
func WithBudgetWarning(warn func(BudgetWarning)) Option {
	return func(m *config) error {
		if warn == nil {
			return invalid("warn", "", "must not be nil")
		}
		m.warn = warn
		return nil
	}
}

// unlock delivers warnings after unlocking: the user's function may call the Meter.
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
