package client

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/internal/call"
)

// operation describes a request for errors and the retry policy. Each one is defined next
// to the method that sends it.
type operation struct {
	method, path string
	// repeatable means that a second request does no harm.
	repeatable bool
	// delivers means that a 2xx response accepts a message, whatever its body is. With
	// receipt, a complete body must have the message id.
	delivers, receipt bool
	// ownKey means that this package made the idempotency key.
	ownKey bool
	// ignoresBody means that a 2xx status is success, whatever the body is and even if it
	// breaks off, unless noPages is set and it is a web page.
	ignoresBody bool
	// needsBody means that an empty 2xx body is a failure, not an empty list.
	needsBody bool
	// noPages means that a web page is a failure, whatever its status is.
	noPages bool
	// absence means that a 404 may report a missing peer, thread or message rather than a
	// missing path.
	absence bool
	// goneIsDone means that the gateway's own 404 is success if an earlier attempt may have
	// had its effect.
	goneIsDone bool
	// shrinks means that fewer messages are requested when the body takes too long. The same
	// request would take as long again.
	shrinks bool
	// filter, if not nil, reduces the response body to the bytes that are needed.
	filter func(io.Reader) io.Reader
}

// done reports whether the operation succeeded even though this attempt failed. uncertain
// is the last earlier attempt that may have had its effect, or nil.
func (op operation) done(failed, uncertain *call.Error) bool {
	if accepted(failed.Status) { // the body broke off, perhaps before its first byte
		return op.ignoresBody && !isHTML(failed.Header) && !op.rejects(failed.Header, failed.Body)
	}
	return op.goneIsDone && uncertain != nil && isAbsence(failed)
}

func (op operation) rejects(header http.Header, body []byte) bool {
	return op.noPages && isPage(header, body)
}

// fails reports a complete 2xx response with the wrong contents.
func (op operation) fails(err error) error {
	return &MeshGatewayError{Method: op.method, Path: op.path, StatusCode: http.StatusOK, Err: err}
}

func accepted(status int) bool { return status >= 200 && status < 300 }

func (op operation) limits(l call.Limits) call.Limits {
	l.Filter, l.WholeBody = op.filter, op.shrinks
	return l
}

// do sends a request, repeats it as the retry policy allows, and returns a 2xx response.
// send calls a method on the generated client.
func (c *MeshClient) do(ctx context.Context, op operation, send func(context.Context) (*http.Response, error)) (call.Response, error) {
	if err := c.ready(ctx); err != nil {
		return call.Response{}, err
	}
	var uncertain *call.Error
	for attempt := 1; ; attempt++ {
		if err := c.ended(ctx); err != nil {
			return call.Response{}, c.gatewayError(op, &call.Error{Err: notSentError{err}}, uncertain)
		}
		resp, failed := call.Do(ctx, op.limits(c.limits), send)
		if failed == nil && op.rejects(resp.Header, resp.Body) {
			return call.Response{}, c.invalidBody(op, resp, errPage)
		}
		if failed == nil || op.done(failed, uncertain) {
			return resp, nil
		}
		wait, again := c.retry.wait(ctx, op, attempt, failed)
		if again {
			c.log.DebugContext(ctx, "repeating a request to the mesh gateway",
				"method", op.method, "path", op.path, "attempt", attempt, "wait", wait, "status", failed.Status)
			if err := c.sleep(ctx, wait); err != nil {
				if failed.Err != nil {
					err = fmt.Errorf("%w; before that: %w", err, failed.Err)
				}
				failed.Err, again = err, false
			}
		}
		if !again {
			return call.Response{}, c.gatewayError(op, failed, uncertain)
		}
		if mayHaveEffect(failed) {
			uncertain = failed
		}
	}
}

// mayHaveEffect reports whether the gateway may have carried out a failed request: the
// response is missing or invalid, or has status 5xx from the gateway or a proxy. A
// request that was not sent has no effect.
func mayHaveEffect(failed *call.Error) bool {
	if failed.Status != 0 {
		return failed.Status < 300 || failed.Status >= 500
	}
	return failed.Transmitted || !isNotSent(failed.Err)
}

// isNotSent reports whether err shows that the request was not sent: there was no
// connection, or its certificate is invalid.
func isNotSent(err error) bool {
	var notSent notSentError
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &notSent) || errors.As(err, &dns) || errors.As(err, &certificate) {
		return true
	}
	var network *net.OpError
	return errors.As(err, &network) && slices.Contains([]string{"dial", "proxyconnect", "socks connect"}, network.Op)
}

// notSentError reports that a request was not sent: its context had ended or the client
// was closed.
type notSentError struct{ err error }

func (e notSentError) Error() string { return e.err.Error() }
func (e notSentError) Unwrap() error { return e.err }

var errClosed = seam.ErrClosed

// ended returns an error if the client is closed or ctx has ended. It reads the cause
// last, since ctx may end in between.
func (c *MeshClient) ended(ctx context.Context) error {
	if c.isClosed() {
		return errClosed
	}
	err := ctx.Err()
	if cause := context.Cause(ctx); err != nil && cause != err { //nolint:errorlint // a cause may wrap the error
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// ready rejects the zero MeshClient and a nil context.
func (c *MeshClient) ready(ctx context.Context) error {
	if c == nil || c.api == nil {
		return invalid("MeshClient", "must be made with client.New")
	}
	if ctx == nil {
		return invalid("ctx", "must not be nil")
	}
	return nil
}

// maximum response body in an error, in characters
const (
	statusExcerpt  = 500
	invalidExcerpt = 200
)

// gatewayError makes the exported error. uncertain is the last earlier attempt that may
// have had its effect, or nil.
func (c *MeshClient) gatewayError(op operation, failed, uncertain *call.Error) error {
	e := c.newError(op, failed, uncertain)
	if e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusForbidden {
		return &MeshAuthError{MeshGatewayError: *e}
	}
	return e
}

func (c *MeshClient) newError(op operation, failed, uncertain *call.Error) *MeshGatewayError {
	e := &MeshGatewayError{
		Method:     op.method,
		Path:       op.path,
		StatusCode: failed.Status,
		Delivered:  op.delivers && accepted(failed.Status) && fromGateway(failed.Header, failed.Body) && (!op.receipt || mayBeReceipt(failed.Body)),
		Err:        c.redactor.redactError(explain(op, failed)),
	}
	if !accepted(failed.Status) {
		e.Body = call.Excerpt(failed.Body, statusExcerpt, c.redactor.redact)
	}
	if op.delivers && !e.Delivered {
		e.Uncertain = uncertain != nil || mayHaveEffect(failed) || op.ownKey && failed.Status == http.StatusConflict
	}
	if uncertain != nil {
		earlier := "an earlier attempt failed: " + c.redactor.redactText(uncertain)
		if e.Err == nil { // the last one is only a status
			e.Err = errors.New(earlier)
		} else {
			e.Err = fmt.Errorf("%w; %s", e.Err, earlier)
		}
	}
	e.RetryAfter, _ = call.RetryAfter(failed.Header, time.Now())
	e.RequestID = c.redactor.requestID(failed.Header)
	return e
}

// explain returns a failed request's underlying error, or explains its status.
func explain(op operation, failed *call.Error) error {
	switch {
	case errors.Is(failed.Err, ErrTooLarge) && op.path == opListMessages.path && !op.delivers && op.filter == nil:
		return fmt.Errorf("%w; raise WithMaxResponseBytes or lower Limit", failed.Err)
	case errors.Is(failed.Err, ErrTooLarge):
		return fmt.Errorf("%w; raise WithMaxResponseBytes", failed.Err)
	case failed.Err != nil:
		return failed.Err
	case failed.RedirectHost != "":
		return failed.NotFollowed()
	case failed.Status == http.StatusNotFound && !(op.absence && isAbsence(failed)):
		return ErrNoSuchPath
	}
	return nil
}

// isAbsence reports whether failed is the gateway's 404 for an unknown peer, thread or
// message: its body has a specific detail. The gateway answers an unknown path with "Not
// Found". A proxy answers 404 as well, for example while it has no gateway to forward to.
func isAbsence(failed *call.Error) bool {
	var refusal struct{ Detail string }
	return failed.Status == http.StatusNotFound && json.Unmarshal(failed.Body, &refusal) == nil &&
		refusal.Detail != "" && refusal.Detail != http.StatusText(http.StatusNotFound)
}
