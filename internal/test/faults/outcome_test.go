package faults_test

import (
	"net"
	"time"
)

// outcome is the result of an operation with a fault, as printed in the table.
type outcome string

const (
	ok         outcome = "ok"     // the result without the fault
	some       outcome = "ok*"    // another good result, since the body differs
	none       outcome = "none"   // an empty result without a failure
	network    outcome = "net"    // no complete response
	late       outcome = "time"   // timeout
	status     outcome = "status" // the status is not 2xx
	denied     outcome = "auth"   // 401, 403, and the equivalent of some providers
	limited    outcome = "limit"  // 429
	decode     outcome = "decode" // the body is not as documented
	large      outcome = "large"  // the body is over the limit
	absent     outcome = "absent" // the recipient is not in the registry
	part       outcome = "part"   // a part could not be read
	missing    outcome = "-"      // not possible with this operation
	notSampled outcome = "."      // the fault is not in the sample

	// The following are expected outcomes only.

	// anyResult is ok, ok* or none.
	anyResult outcome = "anyResult"
	// emptyBody is a 2xx response without a body. It is a decode failure, except where an exception allows it.
	emptyBody outcome = "emptyBody"
	// emptyArray is an empty array. It is a decode failure, except for operations that accept a bare list.
	emptyArray outcome = "emptyArray"
)

// fault is one way in which a response can be bad.
type fault struct {
	name string
	// want is the documented outcome, and status the status that is received; 0 if none is.
	want   outcome
	status int
	// play writes the response. If it is nil, the response is good.
	play func(*exchange)
	// greet takes the connection before a request is read.
	greet func(conn net.Conn)
	// refuses closes the port.
	refuses bool
	// https is set if the URL has the scheme https, regardless of what the server sends.
	https bool
	// proxied uses the server as a proxy for a host that does not exist.
	proxied bool
	// maxBytes is the value of WithMaxResponseBytes; 0 is the default.
	maxBytes int64
	// hangs is set if only the timeout ends the request.
	hangs bool
	// heavy faults send megabytes: few of them run at once.
	heavy bool
	// text is a text that the error must contain.
	text string
	// wait is the range of RetryAfter.
	wait [2]time.Duration
}

// sample has one fault of each kind. Every operation runs with these; Send and ListModels run with all faults, since all
// operations share the code below the facades.
var sample = []string{
	"none", "connection refused", "reset within the body", "silence", "TLS of an unknown authority", "proxy: login page",
	"half a body", "chunks without an end", "100 MB, announced, small limit", "gzip, cut", "HTML as JSON",
	"an empty body", "[]", "{}", "null", "an error with 200", "more behind", "invalid UTF-8", "every key twice", "number of 1e400",
	"100,000 levels in a known field", "304 not modified", "400, API key not valid", "400, incorrect API key", "302 to another host",
	"401, json", "403, html", "404, nothing", "429, text", "500, text", "401 echoes in JSON", "500 echoes at the cut",
	"200 echoes in a known field", "401, body stalls", "429, Retry-After in seconds",
}

// bill are the exceptions of bills, whose values hold the raw body.
var bill = []exception{
	{fault: "blanks around", becomes: anyResult, why: "the value holds the raw body"},
	{fault: "every key twice", becomes: decode, why: "amounts would be missing in a bill that looks complete"},
}

// keepsRaw are the exceptions of operations whose value holds the raw body.
var keepsRaw = []exception{
	{fault: "blanks around", becomes: anyResult, why: "the value holds the raw body"},
	{fault: "every key twice", becomes: anyResult, why: "the value holds the raw body"},
}

// early reports whether the fault comes before any request, so that no earlier request can succeed.
func (f *fault) early() bool { return f.greet != nil || f.https }

// exception is an operation's outcome that differs from the one of the fault.
type exception struct {
	// fault is the name of one fault; class, if set, means all faults with this outcome and a 2xx status.
	fault   string
	class   outcome
	becomes outcome
	why     string
}

// wants returns the documented outcome of an operation with a fault.
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
		return late // the caller's context ends, and the response to the shared request is still open
	}
	if f.want == emptyBody || f.want == emptyArray {
		return decode
	}
	return f.want
}

// meets reports whether o is the wanted outcome.
func (o outcome) meets(want outcome) bool {
	return o == want || (want == anyResult && (o == ok || o == some || o == none))
}
