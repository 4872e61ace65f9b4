package faults_test

import (
	"errors"
	"reflect"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// reasons maps the reasons of a Failure to outcomes.
var reasons = map[discovery.Reason]outcome{
	discovery.ReasonDenied: denied, discovery.ReasonRateLimited: limited, discovery.ReasonStatus: status, discovery.ReasonNetwork: network,
	discovery.ReasonTimeout: late, discovery.ReasonDecode: decode, discovery.ReasonTooLarge: large, discovery.ReasonPartial: part,
}

// verifyDiscovery checks a result of the discovery client: a good value without a Failure, or the empty value with one. With
// strict errors the Failure is the error as well.
func (c *trial) verifyDiscovery(good any, fail func(string, ...any)) outcome {
	mine := c.mine(c.failures)
	c.mu.Lock()
	if len(c.later) > 0 {
		fail("failures were reported when the operation had returned: %v", c.later)
	}
	c.mu.Unlock()
	if !c.strict && c.err != nil {
		fail("the error is %v, want nil", c.err)
	}
	if c.strict && !reflect.DeepEqual(reasonsOf(c.mine(within(c.err))), reasonsOf(mine)) {
		fail("the strict error is %v, and the failures are %v", c.err, c.failures)
	}
	if len(mine) == 0 {
		return c.answered(good)
	}
	f := mine[0]
	seen, known := reasons[f.Reason]
	if !known {
		fail("a reason that does not exist: %q", f.Reason)
	}
	c.verifyFailure(f, seen, fail)
	c.verifyEmpty(good, seen, fail)
	return seen
}

// mine returns the failures of the failing service. When a caller's context ends while it waits for a shared request, its Failure
// is about the context and names no provider.
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

// within returns every Failure in an error, in order.
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
		fail("the failure is of %q", f.Operation)
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

// verifyEmpty requires the empty value: a part must not look like the whole. As documented, the catalog lists the rows that can be
// read, and a cached catalog is returned when a refresh fails.
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
