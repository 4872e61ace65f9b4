// Package call sends a request with a generated client and reads the response: first the status, then a bounded body.
//
//	resp, failed := call.Do(ctx, limits, func(ctx context.Context) (*http.Response, error) {
//		return api.ListPeers(ctx, nil)
//	})
//
// The ...WithResponse methods that oapi-codegen offers decode a body before its status is checked, lose the status if an error body has
// an unexpected shape, and read without a limit. They are not generated.
//
// The text in an [*Error] is not redacted; the caller knows the secrets and redacts it. All functions are safe for concurrent
// use.
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

// ErrTooLarge matches the error of a response that exceeds the size limit.
var ErrTooLarge = errors.New("response is larger than allowed")

// errNoStatus reports a status line that net/http accepts although it contains no valid status, such as 000.
var errNoStatus = errors.New("the response has no status")

// Limits bounds one request.
type Limits struct {
	// Timeout is the time limit from sending the request to the header of the response, and of each silence after it: a body may take
	// longer while its bytes arrive, up to ten times the timeout. 0 means that only the context limits the request.
	Timeout time.Duration
	// WholeBody means that the timeout also limits the time to the last byte of the body.
	WholeBody bool
	// MaxBytes is the maximum size of a response body after decompression.
	MaxBytes int64
	// Filter, if not nil, returns a reader of a part of the body of a 2xx response. MaxBytes limits that part, and 1 GiB the body.
	Filter func(io.Reader) io.Reader
}

// Response is a complete 2xx response.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Error reports a request without a complete 2xx response.
type Error struct {
	// Status is the status of the response, or 0 if there was none.
	Status int
	// Header is the header of the response, or nil if there was none.
	Header http.Header
	// Body is the beginning of the body, as far as it was read.
	Body []byte
	// RedirectHost is the host to which a 3xx response redirects, or "".
	RedirectHost string
	// Transmitted reports that the request was transmitted, perhaps before the attempt that failed with Err. It is false if that
	// is not known.
	Transmitted bool
	// Err is the network, context or limit error, or nil if the status is the only failure.
	Err error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return "status " + strconv.Itoa(e.Status)
}

func (e *Error) Unwrap() error { return e.Err }

// NotFollowed returns an error that explains a redirect, or nil for another response. The host comes from the server.
func (e *Error) NotFollowed() error {
	if e.RedirectHost == "" {
		return nil
	}
	return fmt.Errorf("redirects are not followed, this one leads to the host %w", externalError{errors.New(e.RedirectHost)})
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

// withoutURL removes the method and URL that net/http adds to an error: the query of a URL may contain a key.
func withoutURL(err error) error {
	var e *url.Error
	for errors.As(err, &e) { // a transport that itself uses an http.Client returns nested ones
		err = e.Err
	}
	return err
}

// maxErrorBytes is the number of bytes that are read of an error body.
const maxErrorBytes = 64 << 10

// readError reads the beginning of an error body.
func readError(ctx context.Context, resp *http.Response) *Error {
	failed := &Error{Status: resp.StatusCode, Header: resp.Header, RedirectHost: resp.Header.Get(redirectHost)}
	resp.Header.Del(redirectHost)
	if resp.StatusCode < 100 {
		failed.Err = errNoStatus
	}
	if resp.StatusCode < 200 {
		return failed // the body of a 101 is the connection itself and has no end
	}
	// An error while reading the body must not hide the status.
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	failed.Body = body
	if err != nil && ctx.Err() != nil {
		failed.Err = err
	}
	return failed
}

// read reads a body of at most MaxBytes. One more byte is an error: a part of a body must not be taken for the whole. With an
// error, read returns the part that it has read.
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
	var exceeded *http.MaxBytesError
	if errors.As(err, &exceeded) {
		err = tooLarge(exceeded.Limit)
	}
	return body, err
}

// maxFilteredBytes bounds a body of which only a part is kept.
const maxFilteredBytes = 1 << 30

func tooLarge(limit int64) error { return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit) }

// externalError marks an error of net/http or of a transport. Its text may quote what a server or a proxy sent: a status, a
// header, a part of the body.
type externalError struct{ err error }

func (e externalError) Error() string { return e.err.Error() }
func (e externalError) Unwrap() error { return e.err }

// external marks err, unless its text is known.
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

// externalExcerpt is the number of characters of an error from outside that are shown. An error of net/http quotes the whole line
// of a server that it cannot read. The longest useful error, that of a certificate, lists up to 100 names.
const externalExcerpt = 4000

// RedactText returns the text of an error of this package: the part that came from outside shortened, on one line and as returned
// by outside, and the rest as returned by own. A redactor for text from outside must also recognize parts of a secret; in our own
// text such a part is an ordinary word.
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

func shorten(err error, redact func(string) string) string {
	return OneLine(Excerpt([]byte(err.Error()), externalExcerpt, redact))
}
