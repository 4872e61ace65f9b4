// Package call is the one path every request of the facades takes: send, look at the status, then at the body.
//
// The generated ...WithResponse methods decode before anybody has looked at the status, lose it when an error body has
// an unexpected shape, and read without a limit. [Do] does none of that:
//
//	resp, err := call.Do(ctx, limits, func(ctx context.Context) (*http.Response, error) {
//		return api.ListPeers(ctx)
//	})
//
// Texts in an [*Error] are as the server sent them; redacting them is the part of the facade, which knows the
// secrets. Everything here is safe for concurrent use.
package call

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ErrTooLarge is what a response over the limit fails with.
var ErrTooLarge = errors.New("response is larger than allowed")

// errNoStatus is a status line that net/http lets pass although it says nothing, such as 000.
var errNoStatus = errors.New("the answer has no status")

// Limits bound one request.
type Limits struct {
	// Timeout bounds the request from sending to the last byte of the body; 0 means none but the context's.
	Timeout time.Duration
	// MaxBytes bounds a response body after decompression.
	MaxBytes int64
}

// Response is an answer with a 2xx status, read to its end.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Error is a request that did not bring a whole 2xx answer.
type Error struct {
	// Status is the status of the answer, 0 when there was none.
	Status int
	// Header is the header of the answer, nil when there was none.
	Header http.Header
	// Body is the beginning of the body when the status was not 2xx.
	Body []byte
	// Err is the failure of the network, the context or the limit; nil when the status alone is the failure.
	Err error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return "status " + strconv.Itoa(e.Status)
}

func (e *Error) Unwrap() error { return e.Err }

// Do sends one request and reads the answer.
func Do(ctx context.Context, limits Limits, send func(context.Context) (*http.Response, error)) (Response, *Error) {
	if limits.Timeout <= 0 {
		return exchange(ctx, limits.MaxBytes, send)
	}
	bounded, cancel := context.WithTimeout(ctx, limits.Timeout)
	defer cancel()
	resp, failed := exchange(bounded, limits.MaxBytes, send)
	if failed != nil && ctx.Err() == nil && errors.Is(failed.Err, context.DeadlineExceeded) {
		// The caller's own deadline reads the same otherwise, and is mended elsewhere.
		failed.Err = fmt.Errorf("no whole answer within %v: %w", limits.Timeout, failed.Err)
	}
	return resp, failed
}

func exchange(ctx context.Context, maxBytes int64, send func(context.Context) (*http.Response, error)) (Response, *Error) {
	resp, err := send(ctx)
	if err != nil {
		return Response{}, &Error{Err: visible(ctx, withoutURL(err))}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return Response{}, refusal(ctx, resp)
	}
	body, err := read(resp, maxBytes)
	if err != nil {
		return Response{}, &Error{Status: resp.StatusCode, Header: resp.Header, Err: visible(ctx, err)}
	}
	return Response{Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
}

// visible makes an ended context show in an error: net/http returns the cause of a context instead, if it has one.
func visible(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		return fmt.Errorf("%w: %w", ended, err)
	}
	return err
}

// withoutURL drops what net/http puts around an error: method and URL, and a URL may hold a key in its query.
func withoutURL(err error) error {
	var e *url.Error
	for errors.As(err, &e) { // a transport that sends requests of its own puts one into the other
		err = e.Err
	}
	return err
}

// maxErrorBytes is how much of an error body is read: enough for any excerpt, and no more, since nobody needs the rest.
const maxErrorBytes = 64 << 10

func refusal(ctx context.Context, resp *http.Response) *Error {
	failed := &Error{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode < 100 {
		failed.Err = errNoStatus
	}
	if resp.StatusCode < 200 {
		return failed // of a 101 the body is the connection itself, which would be read without end
	}
	// A body that breaks off must not cost the status: what came of it is good enough for an error.
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	failed.Body = body
	if err != nil && ctx.Err() != nil {
		failed.Err = visible(ctx, err)
	}
	return failed
}

// read reads at most limit bytes and fails on the first one beyond, instead of passing off a part as the whole.
func read(resp *http.Response, limit int64) ([]byte, error) {
	if resp.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	var buf bytes.Buffer
	// The declared length saves growing the buffer, but it is only a claim: trust it for one megabyte.
	buf.Grow(int(min(max(resp.ContentLength, 0), 1<<20)) + bytes.MinRead)
	n, err := buf.ReadFrom(io.LimitReader(resp.Body, max(limit, limit+1))) // the largest limit has no successor
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, tooLarge(limit)
	}
	return buf.Bytes(), nil
}

func tooLarge(limit int64) error { return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit) }
