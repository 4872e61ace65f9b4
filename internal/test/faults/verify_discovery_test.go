package faults_test

import (
	"cmp"
	"errors"
	"reflect"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// reasons are what a Failure calls an outcome (DESIGN.md section 4, Empty on failure, never silent).
var reasons = map[discovery.Reason]outcome{
	discovery.ReasonDenied: denied, discovery.ReasonRateLimited: limited, discovery.ReasonStatus: status, discovery.ReasonNetwork: network,
	discovery.ReasonTimeout: late, discovery.ReasonDecode: decode, discovery.ReasonTooLarge: large, discovery.ReasonPartial: part,
}

// verifyDiscovery looks at a result of the discovery client: the empty value and a Failure, which is the error as well where
// errors are strict, or a good value and no Failure of the provider's.
func (c *cell) verifyDiscovery(good any, complain func(string, ...any)) outcome {
	mine := c.mine(c.failures)
	c.mu.Lock()
	if len(c.later) > 0 {
		complain("failures were reported when the operation had returned: %v", c.later)
	}
	c.mu.Unlock()
	if !c.strict && c.err != nil {
		complain("the error is %v, want nil", c.err)
	}
	if c.strict && !reflect.DeepEqual(reasonsOf(c.mine(within(c.err))), reasonsOf(mine)) {
		complain("the strict error is %v, and the failures are %v", c.err, c.failures)
	}
	if len(mine) == 0 {
		return c.answered(good)
	}
	f := mine[0]
	seen, known := reasons[f.Reason]
	if !known {
		complain("a reason that does not exist: %q", f.Reason)
	}
	c.verifyFailure(f, seen, complain)
	c.verifyEmpty(good, seen, complain)
	return seen
}

// mine are the failures of the service that goes wrong. Nobody knows yet what becomes of a request that others may wait for
// as well: when the caller's time is up, that is what its Failure says, and not whose fault it was.
func (c *cell) mine(failures []discovery.Failure) []discovery.Failure {
	var found []discovery.Failure
	for _, f := range failures {
		waited := c.op.shared && f.Reason == discovery.ReasonTimeout
		if f.Provider == c.op.provider || (waited && f.Provider == "") {
			found = append(found, f)
		}
	}
	return found
}

// within finds every Failure in an error, in order.
func within(err error) []discovery.Failure {
	switch e := err.(type) { //nolint:errorlint // the whole tree is walked
	case nil:
		return nil
	case discovery.Failure:
		return []discovery.Failure{e}
	case interface{ Unwrap() []error }:
		var all []discovery.Failure
		for _, inner := range e.Unwrap() {
			all = append(all, within(inner)...)
		}
		return all
	}
	return within(errors.Unwrap(err))
}

func reasonsOf(failures []discovery.Failure) []discovery.Reason {
	var all []discovery.Reason
	for _, f := range failures {
		all = append(all, f.Reason)
	}
	return all
}

func (c *cell) verifyFailure(f discovery.Failure, seen outcome, complain func(string, ...any)) {
	waited := seen == late && c.op.shared
	if f.Operation != cmp.Or(c.op.reads, c.op.method) {
		complain("the failure is of %q", f.Operation)
	}
	if f.StatusCode != c.fault.status && !waited {
		complain("the failure has status %d, want %d: %v", f.StatusCode, c.fault.status, f)
	}
	if f.RetryAfter < c.fault.wait[0] || f.RetryAfter > c.fault.wait[1] {
		complain("RetryAfter is %v, want %v", f.RetryAfter, c.fault.wait)
	}
	if !c.shows(f.Error()) {
		complain("%q does not say %q", f, c.fault.says)
	}
	if f.Err == nil {
		complain("the failure has no Err")
	}
}

// verifyEmpty wants the empty value: never a part passed off as the whole. The one exception is documented: rows of the
// catalog that can be read are still listed, and an old catalog is better than none.
func (c *cell) verifyEmpty(good any, seen outcome, complain func(string, ...any)) {
	want := c.op.empty
	if c.op.service == "" && c.op.skip == 1 {
		want = good
	}
	if seen == part && c.op.service == "" {
		return
	}
	if !reflect.DeepEqual(c.value, want) {
		complain("the value is %v, want %v", c.value, want)
	}
}
