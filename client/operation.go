package client

import (
	"io"
	"net/http"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

// operation describes a request for errors and the retry policy. The operations of the gateway are beside the methods that send them.
type operation struct {
	method, path string
	// repeatable means that a second request does no harm.
	repeatable bool
	// delivers means that a 2xx response accepts a message, whatever its body is. With
	// receipt, a complete body must have the id of the message.
	delivers, receipt bool
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

// fails returns the error of a 2xx response that is complete, but not what was requested.
func (op operation) fails(err error) error {
	return &MeshGatewayError{Method: op.method, Path: op.path, StatusCode: http.StatusOK, Err: err}
}

func accepted(status int) bool { return status >= 200 && status < 300 }

func (op operation) limits(l call.Limits) call.Limits {
	l.Filter, l.WholeBody = op.filter, op.shrinks
	return l
}
