// Package call sends a request with a generated client and reads the response: first the
// status, then a body of limited size.
//
//	resp, failed := call.Do(ctx, limits, func(ctx context.Context) (*http.Response, error) {
//		return api.ListPeers(ctx, nil)
//	})
//
// oapi-codegen's ...WithResponse methods aren't generated. They decode a body before
// checking its status, lose the status if an error body has an unexpected shape, and read
// without a limit.
//
// An [*Error] isn't redacted: the caller knows the secrets. All functions may be called
// concurrently.
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
	"strings"
	"time"
)

// ErrTooLarge is returned if a response exceeds the size limit.
var ErrTooLarge = errors.New("response is larger than allowed")

// errNoStatus reports an invalid status that net/http accepts, such as 000.
var errNoStatus = errors.New("the response has no status")

// Limits bounds one request.
type Limits struct {
	// Timeout limits the time until the response header arrives, and each silence after
	// it. While bytes arrive, a body may take up to ten times the timeout. If 0, only the
	// context limits the request.
	Timeout time.Duration
	// WholeBody makes Timeout include the whole body.
	WholeBody bool
	// MaxBytes is the maximum body size after decompression.
	MaxBytes int64
	// Filter, if not nil, reduces a 2xx body. MaxBytes then limits its output, and the
	// body itself is limited to 1 GiB.
	Filter func(io.Reader) io.Reader
}

// Response is a complete 2xx response.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Error reports a request that got no complete 2xx response.
type Error struct {
	// Status is 0 if there was no response.
	Status int
	// Header is nil if there was no response.
	Header http.Header
	// Body is the start of the body, at most 64 KiB.
	Body []byte
	// RedirectHost is the host in a 3xx response's Location header, or "".
	RedirectHost string
	// Transmitted reports that the request was sent at least once, perhaps by an earlier
	// attempt inside net/http. False may also mean unknown.
	Transmitted bool
	// Err is a network, context or limit error, or nil if only the status is wrong.
	Err error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return "status " + strconv.Itoa(e.Status)
}

func (e *Error) Unwrap() error { return e.Err }

// NotFollowed returns an error that explains a redirect, or nil. The error contains a
// host name from the server.
func (e *Error) NotFollowed() error {
	if e.RedirectHost == "" {
		return nil
	}
	return fmt.Errorf("redirects are not followed; this one leads to the host %w", externalError{errors.New(e.RedirectHost)})
}

// Do sends one request and reads the response.
func Do(ctx context.Context, limits Limits, send func(context.Context) (*http.Response, error)) (Response, *Error) {
	r := limits.begin(ctx)
	defer r.end()
	resp, err := send(r.ctx) //nolint:contextcheck // begin derives it from ctx
	if err != nil {
		transmitted, err := unwrapTransmitted(withoutURL(err))
		return Response{}, &Error{Transmitted: transmitted, Err: r.explain(err, limits.Timeout)}
	}
	r.heard()
	r.ReadCloser, resp.Body = resp.Body, r
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		failed := readError(r.ctx, resp) //nolint:contextcheck // as above
		failed.Err = r.explain(failed.Err, r.waited())
		return Response{}, failed
	}
	body, err := limits.read(resp)
	if err != nil {
		body = body[:min(len(body), maxErrorBytes)]
		return Response{}, &Error{Status: resp.StatusCode, Header: resp.Header, Body: body, Err: r.explain(err, r.waited())}
	}
	return Response{Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
}

// withoutURL removes the method and URL that net/http adds: a query may contain a key.
func withoutURL(err error) error {
	var e *url.Error
	for errors.As(err, &e) { // nested if the transport uses an http.Client
		err = e.Err
	}
	return err
}

// maxErrorBytes limits the bytes read from an error body.
const maxErrorBytes = 64 << 10

func readError(ctx context.Context, resp *http.Response) *Error {
	failed := &Error{Status: resp.StatusCode, Header: resp.Header, RedirectHost: resp.Header.Get(redirectHost)}
	resp.Header.Del(redirectHost)
	if resp.StatusCode < 100 {
		failed.Err = errNoStatus
	}
	if resp.StatusCode < 200 {
		return failed // a 101 body is the connection itself and never ends
	}
	// a read error must not hide the status
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	failed.Body = body
	if err != nil && ctx.Err() != nil {
		failed.Err = err
	}
	return failed
}

// read fails if the body is longer than MaxBytes: a part must not be taken for the whole.
// On an error, it returns the bytes read so far.
func (l Limits) read(resp *http.Response) ([]byte, error) {
	source := resp.Body
	if l.Filter != nil {
		source = io.NopCloser(l.Filter(http.MaxBytesReader(nil, resp.Body, maxFilteredBytes)))
	} else if resp.ContentLength > l.MaxBytes {
		begin := make([]byte, bytes.MinRead)
		n, _ := resp.Body.Read(begin)
		return begin[:n], tooLarge(l.MaxBytes)
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, source, l.MaxBytes))
	if err == nil {
		return body, nil
	}
	var exceeded *http.MaxBytesError
	if errors.As(err, &exceeded) {
		err = tooLarge(exceeded.Limit)
	}
	return body, err
}

// maxFilteredBytes bounds a body that Filter reduces.
const maxFilteredBytes = 1 << 30

func tooLarge(limit int64) error { return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit) }

// externalError marks an error from net/http or a transport. It may quote the server or a
// proxy: a status line, a header, some of the body.
type externalError struct{ err error }

func (e externalError) Error() string { return e.err.Error() }
func (e externalError) Unwrap() error { return e.err }

// external marks err, unless we wrote its text.
func external(err error) error {
	for _, known := range []error{ErrTooLarge, errNoStatus} {
		if errors.Is(err, known) {
			return err
		}
	}
	if err == context.Canceled || err == context.DeadlineExceeded { //nolint:errorlint // a wrapped one may have other text
		return err
	}
	return externalError{err}
}

// externalExcerpt limits the characters shown from an external error. net/http quotes
// whole lines that it can't parse. The longest useful text is a certificate error, which
// lists up to 100 names.
const externalExcerpt = 4000

// RedactText returns err's text, redacted. The external part goes through outside,
// shortened to one line, and the rest goes through own.
//
// In text from outside, a redactor must find parts of a secret, too. In our own text such
// a part may be an ordinary word.
func RedactText(err error, outside, own func(string) string) string {
	var e externalError
	if !errors.As(err, &e) {
		return own(err.Error())
	}
	before, after, found := strings.Cut(err.Error(), e.Error())
	if !found {
		return shorten(err, outside)
	}
	return own(before) + shorten(e, outside) + own(after)
}

// WithText returns err if text is its text, or an equivalent error with a redacted text.
func WithText(err error, text string) error {
	if text == err.Error() {
		return err
	}
	return &redactedError{text: text, is: func(target error) bool { return errors.Is(err, target) }}
}

// redactedError replaces an error whose text contained a credential. It supports
// errors.Is, but not errors.As or errors.Unwrap, which would give access to the text. A
// function hides the original error because test packages print the fields when errors
// differ.
type redactedError struct {
	text string
	is   func(target error) bool
}

func (e *redactedError) Error() string { return e.text }

// GoString keeps %#v from printing the fields.
func (e *redactedError) GoString() string { return e.text }

func (e *redactedError) Is(target error) bool { return e.is(target) }

func shorten(err error, redact func(string) string) string {
	return OneLine(Excerpt([]byte(err.Error()), externalExcerpt, redact))
}
