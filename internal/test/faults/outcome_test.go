package faults_test

import (
	"net"
	"time"
)

// outcome is how an operation with a fault ended, as printed in the table.
type outcome string

const (
	ok         outcome = "ok"     // same result as without the fault
	some       outcome = "ok*"    // another good result, because the body differs
	none       outcome = "none"   // an empty result, no failure
	network    outcome = "net"    // no complete response
	late       outcome = "time"   // timeout
	status     outcome = "status" // the status isn't 2xx
	denied     outcome = "auth"   // 401, 403, or a provider's equivalent
	limited    outcome = "limit"  // 429
	decode     outcome = "decode" // the body isn't as documented
	large      outcome = "large"  // the body exceeds the limit
	absent     outcome = "absent" // the recipient isn't in the registry
	part       outcome = "part"   // a part is unreadable
	missing    outcome = "-"      // impossible with this operation
	notSampled outcome = "."      // the fault isn't in the sample

	// The following are only expected, never seen.

	// anyResult is ok, ok* or none.
	anyResult outcome = "anyResult"
	// emptyBody means that a 2xx response has no body: a decode failure, unless an
	// exception allows it.
	emptyBody outcome = "emptyBody"
	// emptyArray is a decode failure, except for operations that accept a bare list.
	emptyArray outcome = "emptyArray"
)

// fault makes a response bad in one way.
type fault struct {
	name string
	// want is the documented outcome. status is the received one, or 0.
	want   outcome
	status int
	// play writes the response. If nil, the response is good.
	play func(*exchange)
	// greet gets the connection before a request is read.
	greet func(conn net.Conn)
	// refuses closes the port.
	refuses bool
	// https makes the URL's scheme https, whatever the server speaks.
	https bool
	// proxied uses the server as proxy for a host that doesn't exist.
	proxied bool
	// maxBytes is passed to WithMaxResponseBytes, unless 0.
	maxBytes int64
	// hangs is set if only a timeout ends the request.
	hangs bool
	// heavy faults send megabytes: only a few run at once.
	heavy bool
	// text must be in the error.
	text string
	// wait is RetryAfter's minimum and maximum.
	wait [2]time.Duration
}

// sample has one fault per kind, for every operation. Send and ListModels run with more,
// because all operations share the code below the facades.
var sample = []string{
	"none", "connection refused", "reset within the body", "silence", "TLS of an unknown authority", "proxy: login page",
	"half a body", "chunks without an end", "100 MB, announced, small limit", "gzip, cut", "HTML as JSON",
	"an empty body", "[]", "{}", "null", "an error with 200", "more after it", "invalid UTF-8", "every key twice", "number of 1e400",
	"100,000 levels in a known field", "304 not modified", "400, API key not valid", "400, incorrect API key", "302 to another host",
	"401, json", "403, html", "404, nothing", "429, text", "500, text", "401 echoes in JSON", "500 echoes at the cut",
	"200 echoes in a known field", "401, body stalls", "429, Retry-After in seconds",
}

var bill = []exception{
	{fault: "white space around", becomes: anyResult, why: "the value holds the raw body"},
	{fault: "every key twice", becomes: decode, why: "amounts would be missing in a bill that looks complete"},
}

// keepsRaw is for operations that return the raw body.
var keepsRaw = []exception{
	{fault: "white space around", becomes: anyResult, why: "the value holds the raw body"},
	{fault: "every key twice", becomes: anyResult, why: "the value holds the raw body"},
}

// early reports whether the fault precedes all requests, so no earlier request can
// succeed.
func (f *fault) early() bool { return f.greet != nil || f.https }

// exception is a documented outcome that differs from the fault's own.
type exception struct {
	// fault names one fault; class, if set, means all faults with this outcome and a 2xx
	// status.
	fault   string
	class   outcome
	becomes outcome
	why     string
}

// wants is the documented outcome.
func (op *operation) wants(f *fault) outcome {
	if f.early() && op.skip > 0 {
		return missing
	}
	for _, e := range op.exceptions {
		if (e.fault != "" && e.fault == f.name) || (e.class != "" && e.class == f.want && f.status/100 == 2) {
			return e.becomes
		}
	}
	if op.shared && f.hangs {
		return late // the caller's context ends before the shared request does
	}
	if f.want == emptyBody || f.want == emptyArray {
		return decode
	}
	return f.want
}

func (o outcome) meets(want outcome) bool {
	return o == want || (want == anyResult && (o == ok || o == some || o == none))
}
