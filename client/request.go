package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

// operation describes a request for errors and the retry policy.
type operation struct {
	method, path string
	// repeatable means that a second request does no harm.
	repeatable bool
	// delivers means that a 2xx status accepts a message, whatever the body is.
	delivers bool
	// ignoresBody means that a 2xx status is success, whatever the body is and even if it breaks off.
	ignoresBody bool
	// goneIsDone means that a 404 after the first attempt shows that an earlier attempt succeeded.
	goneIsDone bool
}

// The operations of the gateway.
var (
	opListPeers    = operation{method: http.MethodGet, path: "/peers", repeatable: true}
	opRegister     = operation{method: http.MethodPost, path: "/peers/register"}
	opListMessages = operation{method: http.MethodGet, path: "/messages", repeatable: true}
	opHealth       = operation{method: http.MethodGet, path: "/health", repeatable: true}
)

// opSend is repeatable only with an idempotency key, by which the gateway recognizes the message.
func opSend(keyed bool) operation {
	return operation{method: http.MethodPost, path: "/messages", repeatable: keyed, delivers: true}
}

func opMarkRead(id int64) operation {
	path := "/messages/" + strconv.FormatInt(id, 10) + "/read"
	return operation{method: http.MethodPost, path: path, repeatable: true, ignoresBody: true, goneIsDone: true}
}

// done reports whether a failed attempt shows that the operation has succeeded.
func (op operation) done(attempt, status int) bool {
	return op.ignoresBody && accepted(status) || op.goneIsDone && attempt > 1 && status == http.StatusNotFound
}

func accepted(status int) bool { return status >= 200 && status < 300 }

// do sends a request, repeats it as the retry policy allows, and returns a 2xx response. send calls a method of the
// generated client.
func (c *MeshClient) do(ctx context.Context, op operation, send func(context.Context) (*http.Response, error)) (call.Response, error) {
	for attempt := 1; ; attempt++ {
		if c.closed.Load() {
			return call.Response{}, c.gatewayError(op, &call.Error{Err: errClosed})
		}
		resp, failed := call.Do(ctx, c.limits, send)
		if failed == nil || op.done(attempt, failed.Status) {
			return resp, nil
		}
		wait, again := c.retry.wait(ctx, op, attempt, failed)
		if !again {
			return call.Response{}, c.gatewayError(op, failed)
		}
		c.log.DebugContext(ctx, "repeating a request to the mesh gateway",
			"method", op.method, "path", op.path, "attempt", attempt, "wait", wait, "status", failed.Status)
		if err := sleep(ctx, wait); err != nil {
			failed.Err = errors.Join(err, failed.Err)
			return call.Response{}, c.gatewayError(op, failed)
		}
	}
}

// errClosed is the error of every call after Close.
var errClosed = fmt.Errorf("the client is closed: %w", net.ErrClosed)

// The number of characters of a response body that an error shows.
const (
	statusExcerpt  = 500
	invalidExcerpt = 200
)

// gatewayError returns the exported error for a failed request.
func (c *MeshClient) gatewayError(op operation, failed *call.Error) error {
	e := MeshGatewayError{
		Method:     op.method,
		Path:       op.path,
		StatusCode: failed.Status,
		Body:       call.Excerpt(failed.Body, statusExcerpt, c.redactor.redactBody),
		Delivered:  op.delivers && accepted(failed.Status),
		Err:        c.redactor.redactError(failed.Err),
	}
	e.RetryAfter, _ = call.RetryAfter(failed.Header, time.Now())
	if e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusForbidden {
		return &MeshAuthError{MeshGatewayError: e}
	}
	return &e
}

// decode parses the body of a 2xx response into a generated type. It calls UnmarshalJSON directly because json.Unmarshal
// would scan the body a second time.
func (c *MeshClient) decode(op operation, resp call.Response, into json.Unmarshaler) error {
	err := into.UnmarshalJSON(resp.Body)
	if err == nil {
		return nil
	}
	e := &MeshGatewayError{
		Method:     op.method,
		Path:       op.path,
		StatusCode: resp.Status,
		Body:       call.Excerpt(resp.Body, invalidExcerpt, c.redactor.redactBody),
		Delivered:  op.delivers,
		Err:        c.redactor.redactError(err),
	}
	if !json.Valid(resp.Body) {
		e.Err = &notJSONError{excerpt: e.Body}
	}
	return e
}

// notJSONError reports a response body that is not JSON.
type notJSONError struct{ excerpt string }

func (e *notJSONError) Error() string {
	if strings.TrimSpace(e.excerpt) == "" {
		return "the response has an empty body"
	}
	return "not JSON: " + strconv.Quote(e.excerpt)
}
