package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"time"

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
	// ignoresBody means that a 2xx status is success, whatever the body is and even if it breaks off.
	ignoresBody bool
	// absence means that a 404 may be the answer about one peer or thread, and not a missing path.
	absence bool
	// goneIsDone means that a 404 shows that an earlier attempt succeeded, if it may have had its effect.
	goneIsDone bool
	// read, if not nil, reads the response body, of at most maxBytes.
	read     func(io.Reader)
	maxBytes int64
}

// The operations of the gateway.
var (
	opListPeers    = operation{method: http.MethodGet, path: "/peers", repeatable: true}
	opRegister     = operation{method: http.MethodPost, path: "/peers/register"}
	opListMessages = operation{method: http.MethodGet, path: "/messages", repeatable: true}
	opHealth       = operation{method: http.MethodGet, path: "/health", repeatable: true}
	opListThreads  = operation{method: http.MethodGet, path: "/threads", repeatable: true}
	// A thread is created once: a repeated request returns the same thread.
	opOpenThread = operation{method: http.MethodPost, path: "/threads", repeatable: true}
)

// opSend is repeatable only with an idempotency key, by which the gateway recognizes the message.
func opSend(keyed, ownKey bool) operation {
	return operation{method: http.MethodPost, path: "/messages", repeatable: keyed, ownKey: ownKey, delivers: true}
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
	return operation{method: http.MethodPost, path: path, repeatable: true, ignoresBody: true, goneIsDone: true}
}

// done reports whether a failed attempt shows that the operation has succeeded. uncertain is the last earlier attempt that may
// have had its effect.
func (op operation) done(failed, uncertain *call.Error) bool {
	return op.ignoresBody && accepted(failed.Status) || op.goneIsDone && uncertain != nil && failed.Status == http.StatusNotFound
}

func accepted(status int) bool { return status >= 200 && status < 300 }

func (op operation) limits(l call.Limits) call.Limits {
	if op.read != nil {
		l.Read, l.MaxBytes = op.read, op.maxBytes
	}
	return l
}

// do sends a request, repeats it as the retry policy allows, and returns a 2xx response. send calls a method of the
// generated client.
func (c *MeshClient) do(ctx context.Context, op operation, send func(context.Context) (*http.Response, error)) (call.Response, error) {
	if err := c.ready(ctx); err != nil {
		return call.Response{}, err
	}
	var uncertain *call.Error
	for attempt := 1; ; attempt++ {
		if c.isClosed() {
			return call.Response{}, c.gatewayError(op, &call.Error{Err: errClosed}, uncertain)
		}
		resp, failed := call.Do(ctx, op.limits(c.limits), send)
		if failed == nil || op.done(failed, uncertain) {
			return resp, nil
		}
		wait, again := c.retry.wait(ctx, op, attempt, failed)
		if again {
			c.log.DebugContext(ctx, "repeating a request to the mesh gateway",
				"method", op.method, "path", op.path, "attempt", attempt, "wait", wait, "status", failed.Status)
			if err := c.sleep(ctx, wait); err != nil {
				failed.Err, again = errors.Join(err, failed.Err), false
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

// mayHaveEffect reports whether the gateway may have carried out a request although it failed: the response is missing or
// invalid, or an error of the gateway or of a proxy. A request that found no connection has no effect.
func mayHaveEffect(failed *call.Error) bool {
	if failed.Status != 0 {
		return failed.Status >= 500 || accepted(failed.Status)
	}
	var network *net.OpError
	var dns *net.DNSError
	return !errors.Is(failed.Err, errClosed) && !errors.As(failed.Err, &dns) &&
		!(errors.As(failed.Err, &network) && network.Op == "dial")
}

// errClosed is the error of every call after Close.
var errClosed = fmt.Errorf("the client is closed: %w", net.ErrClosed)

// ready rejects the zero MeshClient and a nil context.
func (c *MeshClient) ready(ctx context.Context) error {
	if c == nil || c.api == nil {
		return &ValueError{Field: "MeshClient", Reason: "must be made with client.New"}
	}
	if ctx == nil {
		return &ValueError{Field: "context", Reason: "must not be nil"}
	}
	return nil
}

// The number of characters of a response body that an error shows.
const (
	statusExcerpt  = 500
	invalidExcerpt = 200
)

// gatewayError returns the exported error for a failed request. uncertain is the last earlier attempt that may have had its
// effect, or nil.
func (c *MeshClient) gatewayError(op operation, failed, uncertain *call.Error) error {
	e := MeshGatewayError{
		Method:     op.method,
		Path:       op.path,
		StatusCode: failed.Status,
		Delivered:  op.delivers && accepted(failed.Status) && fromGateway(failed.Header, failed.Body),
		Err:        c.redactor.redactError(explain(op, failed)),
	}
	if !accepted(failed.Status) {
		e.Body = call.Excerpt(failed.Body, statusExcerpt, c.redactor.redactBody)
	}
	if op.delivers && !e.Delivered {
		e.Uncertain = uncertain != nil || mayHaveEffect(failed) || op.ownKey && failed.Status == http.StatusConflict
	}
	if uncertain != nil {
		e.Err = &retriedError{err: e.Err, earlier: c.redactor.redact(uncertain.Error())}
	}
	e.RetryAfter, _ = call.RetryAfter(failed.Header, time.Now())
	e.RequestID = c.redactor.requestID(failed.Header)
	if e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusForbidden {
		return &MeshAuthError{MeshGatewayError: e}
	}
	return &e
}

// explain returns the underlying error of a failed request, or an explanation of its status.
func explain(op operation, failed *call.Error) error {
	switch {
	case errors.Is(failed.Err, ErrTooLarge) && op.path == opListMessages.path && !op.delivers:
		return fmt.Errorf("%w; raise WithMaxResponseBytes or lower Limit", failed.Err)
	case errors.Is(failed.Err, ErrTooLarge):
		return fmt.Errorf("%w; raise WithMaxResponseBytes", failed.Err)
	case failed.Err != nil:
		return failed.Err
	case failed.RedirectHost != "":
		return failed.NotFollowed()
	case failed.Status == http.StatusNotFound && !op.goneIsDone && !(op.absence && hasDetail(failed.Body)):
		return errNoSuchPath
	}
	return nil
}

// hasDetail reports whether the body of a 404 has a detail of its own. The gateway answers an unknown path with "Not Found".
func hasDetail(body []byte) bool {
	var refusal struct{ Detail string }
	return json.Unmarshal(body, &refusal) == nil && refusal.Detail != "" && refusal.Detail != http.StatusText(http.StatusNotFound)
}

// errNoSuchPath explains a 404 of an operation whose path exists on every gateway.
var errNoSuchPath = errors.New("the gateway does not have this path; check the base path of its URL")

// retriedError adds the failure of an earlier attempt to the failure of the last one, which is nil if it is only a status.
type retriedError struct {
	err     error
	earlier string
}

func (e *retriedError) Error() string {
	text := "an earlier attempt failed: " + e.earlier
	if e.err != nil {
		text = e.err.Error() + "; " + text
	}
	return text
}

// Unwrap returns the failure of the last attempt.
func (e *retriedError) Unwrap() error { return e.err }

// fromGateway reports whether a 2xx response with an invalid body can be the gateway's: the body begins like JSON, or nothing of
// it arrived. Something in between, such as a captive portal, answers with HTML.
func fromGateway(header http.Header, body []byte) bool {
	if body := bytes.TrimLeft(body, blanks); len(body) > 0 {
		return body[0] == '{' || body[0] == '['
	}
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return mediaType != "text/html"
}

// decode parses the body of a 2xx response into a generated type. It calls UnmarshalJSON directly because json.Unmarshal
// would scan the body a second time.
func (c *MeshClient) decode(op operation, resp call.Response, into json.Unmarshaler) error {
	if err := into.UnmarshalJSON(resp.Body); err != nil {
		return c.invalidBody(op, resp, err)
	}
	return nil
}

// invalidBody returns the error for a 2xx response whose body is invalid because of err.
func (c *MeshClient) invalidBody(op operation, resp call.Response, err error) error {
	e := &MeshGatewayError{
		Method:     op.method,
		Path:       op.path,
		StatusCode: resp.Status,
		Body:       call.Excerpt(resp.Body, invalidExcerpt, c.redactor.redactBody),
		Delivered:  op.delivers && fromGateway(resp.Header, resp.Body),
		RequestID:  c.redactor.requestID(resp.Header),
		Err:        c.redactor.redactError(err),
	}
	if !json.Valid(resp.Body) {
		e.Err = &notJSONError{excerpt: e.Body, empty: blank(resp)}
	}
	e.Uncertain = op.delivers && !e.Delivered
	return e
}

// notJSONError reports a response body that is not JSON.
type notJSONError struct {
	excerpt string
	empty   bool
}

func (e *notJSONError) Error() string {
	if e.empty {
		return "the response has an empty body"
	}
	return "not JSON: " + strconv.Quote(e.excerpt)
}

// blank reports whether a body consists of nothing but JSON white space, which means an empty list.
func blank(resp call.Response) bool { return len(bytes.Trim(resp.Body, blanks)) == 0 }

// blanks is the white space of JSON. Other blanks, such as U+00A0, are invalid.
const blanks = " \t\r\n"
