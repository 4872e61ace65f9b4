package faults_test

import (
	"errors"
	"reflect"

	"github.com/mesh-gateway/mesh-go/discovery"
)

var reasons = map[discovery.Reason]outcome{
	discovery.ReasonDenied: denied, discovery.ReasonRateLimited: limited, discovery.ReasonStatus: status, discovery.ReasonNetwork: network,
	discovery.ReasonTimeout: late, discovery.ReasonDecode: decode, discovery.ReasonTooLarge: large, discovery.ReasonPartial: part,
}

// verifyDiscovery expects a good value without a Failure, or the empty value with one.
// With strict errors, the Failure is also the error.
func (c *trial) verifyDiscovery(good any, fail func(string, ...any)) outcome {
	mine := c.mine(c.failures)
	c.mu.Lock()
	if len(c.later) > 0 {
		fail("failures reported after the operation returned: %v", c.later)
	}
	c.mu.Unlock()
	if !c.strict && c.err != nil {
		fail("the error is %v, want nil", c.err)
	}
	if c.strict && !reflect.DeepEqual(reasonsOf(c.mine(within(c.err))), reasonsOf(mine)) {
		fail("the strict error is %v, but the failures are %v", c.err, c.failures)
	}
	if len(mine) == 0 {
		return c.answered(good)
	}
	f := mine[0]
	seen, known := reasons[f.Reason]
	if !known {
		fail("unknown reason: %q", f.Reason)
	}
	c.verifyFailure(f, seen, fail)
	c.verifyEmpty(good, seen, fail)
	return seen
}

// mine returns the failing service's failures. If a caller's context ends during a shared
// request, the caller's Failure is about the context and names no provider.
func (c *trial) mine(failures []discovery.Failure) []discovery.Failure {
	var found []discovery.Failure
	for _, f := range failures {
		waited := c.op.shared && f.Reason == discovery.ReasonTimeout
		if f.Provider == c.op.provider || (waited && f.Provider == "") {
			found = append(found, f)
		}
	}
	return found
}

// within flattens an error into its Failures, in order.
func within(err error) []discovery.Failure {
	switch e := err.(type) { //nolint:errorlint // the whole tree is walked
	case nil:
		return nil
	case *discovery.Failure:
		return []discovery.Failure{*e}
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

func (c *trial) verifyFailure(f discovery.Failure, seen outcome, fail func(string, ...any)) {
	waited := seen == late && c.op.shared
	if f.Operation != c.op.method {
		fail("the failure's operation is %q", f.Operation)
	}
	if f.StatusCode != c.fault.status && !waited {
		fail("the failure has status %d, want %d: %v", f.StatusCode, c.fault.status, f)
	}
	if f.RetryAfter < c.fault.wait[0] || f.RetryAfter > c.fault.wait[1] {
		fail("RetryAfter is %v, want %v", f.RetryAfter, c.fault.wait)
	}
	if !c.shows(f.Error()) {
		fail("%q does not contain %q", f, c.fault.text)
	}
	if f.Err == nil {
		fail("the failure has no Err")
	}
}

// verifyEmpty expects the empty value: a part must not pass as the whole. There are two
// documented exceptions: the catalog lists readable rows, and a failed refresh returns
// the cached catalog.
func (c *trial) verifyEmpty(good any, seen outcome, fail func(string, ...any)) {
	want := c.op.empty
	if c.op.service == "" && c.op.skip == 1 {
		want = good
	}
	if seen == part && c.op.service == "" {
		return
	}
	if !reflect.DeepEqual(c.value, want) {
		fail("the value is %v, want %v", c.value, want)
	}
}
