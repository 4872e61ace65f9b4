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

// operation is one request as errors and the retry policy see it.
type operation struct {
	method, path string
	// repeatable is whether a second request does no harm.
	repeatable bool
	// delivers is whether a 2xx answer means that a message is on its way, whatever its body says.
	delivers bool
	// ignoresBody is whether a 2xx answer is success, whatever its body is or does not become.
	ignoresBody bool
	// goneIsDone is whether a 404 after the first attempt means that the first attempt had worked.
	goneIsDone bool
}

// The operations of the gateway (SPEC.md, Gateway HTTP API).
var (
	opListPeers    = operation{method: http.MethodGet, path: "/peers", repeatable: true}
	opRegister     = operation{method: http.MethodPost, path: "/peers/register"}
	opListMessages = operation{method: http.MethodGet, path: "/messages", repeatable: true}
	opHealth       = operation{method: http.MethodGet, path: "/health", repeatable: true}
)

// done reports whether a failed attempt has reached what it was for.
func (op operation) done(attempt, status int) bool {
	return op.ignoresBody && accepted(status) || op.goneIsDone && attempt > 1 && status == http.StatusNotFound
}

func accepted(status int) bool { return status >= 200 && status < 300 }

// opSend is repeatable only under a key by which the gateway knows the message again.
func opSend(keyed bool) operation {
	return operation{method: http.MethodPost, path: "/messages", repeatable: keyed, delivers: true}
}

func opMarkRead(id int64) operation {
	path := "/messages/" + strconv.FormatInt(id, 10) + "/read"
	return operation{method: http.MethodPost, path: path, repeatable: true, ignoresBody: true, goneIsDone: true}
}

// sender is a call of the generated client with its arguments bound.
type sender func(context.Context) (*http.Response, error)

// do sends a request, again if the retry policy says so, and returns a 2xx answer.
func (c *MeshClient) do(ctx context.Context, op operation, send sender) (call.Response, error) {
	for attempt := 1; ; attempt++ {
		resp, failed := c.once(ctx, send)
		if failed == nil || op.done(attempt, failed.Status) {
			return resp, nil
		}
		wait, again := c.retry.wait(ctx, op, attempt, failed)
		if !again {
			return call.Response{}, c.gatewayError(op, failed)
		}
		c.log.DebugContext(ctx, "mesh gateway request is tried again",
			"method", op.method, "path", op.path, "attempt", attempt, "wait", wait, "status", failed.Status)
		if err := sleep(ctx, wait); err != nil {
			failed.Err = errors.Join(err, failed.Err)
			return call.Response{}, c.gatewayError(op, failed)
		}
	}
}

// errClosed is every call after Close. It is never tried again.
var errClosed = fmt.Errorf("the client is closed: %w", net.ErrClosed)

func (c *MeshClient) once(ctx context.Context, send sender) (call.Response, *call.Error) {
	if c.closed.Load() {
		return call.Response{}, &call.Error{Err: errClosed}
	}
	return call.Do(ctx, c.limits, send)
}

// How many characters of a body an error shows (SPEC.md, Limits).
const (
	refusalExcerpt = 500
	garbageExcerpt = 200
)

// gatewayError turns a failed request into the error that users see.
func (c *MeshClient) gatewayError(op operation, failed *call.Error) error {
	e := MeshGatewayError{
		Method:     op.method,
		Path:       op.path,
		StatusCode: failed.Status,
		Body:       call.Excerpt(failed.Body, refusalExcerpt, c.guard.redactBody),
		Delivered:  op.delivers && accepted(failed.Status),
		Err:        c.guard.redactError(failed.Err),
	}
	e.RetryAfter, _ = call.RetryAfter(failed.Header, time.Now())
	if e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusForbidden {
		return &MeshAuthError{MeshGatewayError: e}
	}
	return &e
}

// decode reads the body of a 2xx answer into a generated type. Its UnmarshalJSON is called directly: json.Unmarshal would
// read the body twice, once to find its end.
func (c *MeshClient) decode(op operation, resp call.Response, into json.Unmarshaler) error {
	err := into.UnmarshalJSON(resp.Body)
	if err == nil {
		return nil
	}
	e := &MeshGatewayError{
		Method:     op.method,
		Path:       op.path,
		StatusCode: resp.Status,
		Body:       call.Excerpt(resp.Body, garbageExcerpt, c.guard.redactBody),
		Delivered:  op.delivers,
		Err:        c.guard.redactError(err),
	}
	if !json.Valid(resp.Body) {
		e.Err = &notJSONError{excerpt: e.Body}
	}
	return e
}

// notJSONError is a body that is not JSON where JSON is due.
type notJSONError struct{ excerpt string }

func (e *notJSONError) Error() string {
	if strings.TrimSpace(e.excerpt) == "" {
		return "empty body where JSON is due"
	}
	return "not JSON: " + strconv.Quote(e.excerpt)
}
