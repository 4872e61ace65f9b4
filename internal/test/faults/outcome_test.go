package faults_test

import (
	"net"
	"time"
)

// outcome is what an operation makes of a fault, as the table shows it.
type outcome string

const (
	ok      outcome = "ok"     // the same answer as without the fault
	some    outcome = "ok*"    // a good answer, but another one, since the body is another one
	none    outcome = "none"   // an answer that is empty, and no failure
	network outcome = "net"    // no whole answer came
	late    outcome = "time"   // not in time
	status  outcome = "status" // a status that is not 2xx
	denied  outcome = "auth"   // 401 and 403, and what some providers say instead
	limited outcome = "limit"  // 429
	decode  outcome = "decode" // the body is not what is documented
	large   outcome = "large"  // the body is over the limit
	absent  outcome = "absent" // the recipient is not in the registry
	part    outcome = "part"   // a part could not be read
	missing outcome = "-"      // the fault cannot happen here
	spared  outcome = "."      // the fault is not in the sample

	// The following are only wanted, never seen.

	// fine is any of ok, ok* and none.
	fine outcome = "fine"
	// blank is a 2xx answer without a body: a decode failure for those that have to bring something.
	blank outcome = "blank"
	// bare is an empty array: the same, but for those that take a bare list.
	bare outcome = "bare"
)

// fault is one way for an answer to be bad.
type fault struct {
	name string
	// want is what is documented for it, and status the status that arrives, 0 for none.
	want   outcome
	status int
	// play answers the request; nil answers it well.
	play func(*exchange)
	// greet takes the whole connection instead, before anything was read.
	greet func(conn net.Conn)
	// refuses is a port where nobody listens.
	refuses bool
	// https is how the server is called; it need not be how it speaks.
	https bool
	// proxied calls a host that does not exist, through the server as a proxy.
	proxied bool
	// maxBytes is WithMaxResponseBytes; 0 is the default.
	maxBytes int64
	// hangs is a fault that nothing but the timeout ends.
	hangs bool
	// heavy is a fault that costs megabytes: few are played at once.
	heavy bool
	// says is what an error has to show of the answer.
	says string
	// wait bounds what an error or a Failure may say of Retry-After.
	wait [2]time.Duration
}

// sample has one fault of each kind. Every operation meets these; Send and ListModels meet all faults, since below the facades
// every operation takes the same path.
var sample = []string{
	"none", "connection refused", "reset within the body", "silence", "TLS of an unknown authority", "proxy: login page",
	"half a body", "chunks without an end", "100 MB, announced, small limit", "gzip, cut", "HTML as JSON",
	"an empty body", "[]", "{}", "null", "an error with 200", "more behind", "invalid UTF-8", "every key twice", "number of 1e400",
	"100,000 levels in a known field", "304 not modified", "400, API key not valid", "400, incorrect API key", "302 to another host",
	"401, json", "403, html", "404, nothing", "429, text", "500, text", "401 echoes in JSON", "500 echoes at the cut",
	"200 echoes in a known field", "429, Retry-After in seconds",
}

// keepsRaw are the exceptions of operations whose value has the body in it as it came.
var keepsRaw = []exception{
	{fault: "blanks around", becomes: fine, why: "the value has the body as it came"},
	{fault: "every key twice", becomes: fine, why: "the value has the body as it came"},
}

// early reports whether the fault comes before any request: nothing can be answered well first.
func (f *fault) early() bool { return f.greet != nil || f.https }

// exception is where an operation may do other than a fault wants in general.
type exception struct {
	// fault is the name of one fault; or else class is what all of them want that come with a 2xx status.
	fault   string
	class   outcome
	becomes outcome
	why     string
}

// wants returns what is documented for an operation under a fault.
func (op *operation) wants(f *fault) outcome {
	if f.early() && op.skip > 0 {
		return missing
	}
	for _, e := range op.exceptions {
		if (e.fault != "" && e.fault == f.name) || (e.class != "" && e.class == f.want && f.status/100 == 2) {
			return e.becomes
		}
	}
	if f.want == blank || f.want == bare {
		return decode
	}
	return f.want
}

// meets reports whether what was seen is what was wanted.
func (o outcome) meets(want outcome) bool {
	return o == want || (want == fine && (o == ok || o == some || o == none))
}
