package client

import (
	"io"
	"net/http"
	"strconv"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

// operation describes a request for errors and the retry policy.
type operation struct {
	method, path string
	// repeatable means that a second request does no harm.
	repeatable bool
	// delivers means that a 2xx response accepts a message, whatever its body is.
	delivers bool
	// ownKey means that the message has an idempotency key that this package made.
	ownKey bool
	// ignoresBody means that a 2xx status is success, whatever the body is and even if it breaks off, unless noPages is set and
	// it is a web page.
	ignoresBody bool
	// needsBody means that an empty body of a 2xx response is a failure, and not an empty list.
	needsBody bool
	// noPages means that a web page is a failure, whatever its status is.
	noPages bool
	// absence means that a 404 may be the answer about one peer, thread or message, and not a missing path.
	absence bool
	// goneIsDone means that the gateway's own 404 shows that an earlier attempt succeeded, if it may have had its effect.
	goneIsDone bool
	// shrinks means that fewer messages are requested when the body takes too long. The same request would take as long again.
	shrinks bool
	// filter, if not nil, returns a reader of the part of the response body that is needed.
	filter func(io.Reader) io.Reader
}

// The operations of the gateway.
var (
	opListPeers    = operation{method: http.MethodGet, path: "/peers", repeatable: true, noPages: true}
	opRegister     = operation{method: http.MethodPost, path: "/peers/register"}
	opListMessages = operation{method: http.MethodGet, path: "/messages", repeatable: true, noPages: true}
	opHealth       = operation{method: http.MethodGet, path: "/health", repeatable: true}
	opListThreads  = operation{method: http.MethodGet, path: "/threads", repeatable: true, noPages: true}
	// A thread is created once: a repeated request returns the same thread.
	opOpenThread = operation{method: http.MethodPost, path: "/threads", repeatable: true}
)

// opSend is repeatable only with an idempotency key, by which the gateway recognizes the message.
func opSend(keyed, ownKey bool) operation {
	return operation{method: http.MethodPost, path: "/messages", repeatable: keyed, ownKey: keyed && ownKey, delivers: true}
}

// opGetPeer and opGetThread take the name or id as errors may show it.
func opGetPeer(name string) operation {
	return operation{method: http.MethodGet, path: "/peers/" + name, repeatable: true, absence: true}
}

func opGetThread(id string) operation {
	return operation{method: http.MethodGet, path: "/threads/" + id, repeatable: true, absence: true}
}

func opMarkRead(id int64) operation {
	path := "/messages/" + strconv.FormatInt(id, 10) + "/read"
	return operation{method: http.MethodPost, path: path, repeatable: true, ignoresBody: true, noPages: true, absence: true, goneIsDone: true}
}

// done reports whether a failed attempt shows that the operation has succeeded. uncertain is the last earlier attempt that may
// have had its effect.
func (op operation) done(failed, uncertain *call.Error) bool {
	if accepted(failed.Status) { // the body broke off, perhaps before its first byte
		return op.ignoresBody && !isHTML(failed.Header) && !op.rejects(failed.Header, failed.Body)
	}
	return op.goneIsDone && uncertain != nil && isAbsence(failed)
}

// rejects reports whether a 2xx response is a failure because it is a web page.
func (op operation) rejects(header http.Header, body []byte) bool {
	return op.noPages && isPage(header, body)
}

func accepted(status int) bool { return status >= 200 && status < 300 }

func (op operation) limits(l call.Limits) call.Limits {
	l.Filter = op.filter
	return l
}
