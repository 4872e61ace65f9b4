package call

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
)

// maxTransmissions limits how often a request may be sent without a response.
const maxTransmissions = 3

// max1xx limits informational responses. net/http doesn't limit them if a trace wants
// them.
const max1xx = 10

var (
	// errUnanswered is returned instead of sending once more.
	errUnanswered = fmt.Errorf("the request was transmitted %d times without a response", maxTransmissions)
	// errArrived is GetBody's error, which net/http returns unchanged.
	errArrived = errors.New("the server ended the request; it is not sent again because it may have arrived")
	errMany1xx = fmt.Errorf("the server sent more than %d responses with a status of 1xx", max1xx)
)

// transmit sends req and limits net/http's retries. Over HTTP/2, net/http resends a
// request that has no body, or has GetBody, each time the server refuses it, and each
// copy may arrive.
//
// So GetBody fails once headers were written, except with our own [Transport]: over
// HTTP/1.1 it resends a POST only if nothing was written.
func transmit(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	hasBody := req.Body != nil && req.Body != http.NoBody
	if _, own := next.(ownTransport); own && hasBody {
		return next.RoundTrip(req)
	}
	// no defer cancel: the context must outlive the response body, and Do ends its parent
	ctx, cancel := context.WithCancelCause(req.Context())
	t := &transmissions{cancel: cancel}
	req = req.WithContext(httptrace.WithClientTrace(ctx, t.trace())) // copied: the request belongs to the caller
	if req.GetBody != nil {
		req.GetBody = t.getBody(req.GetBody)
	}
	resp, err := next.RoundTrip(req)
	if err == nil {
		return resp, nil
	}
	cancel(err)
	return resp, t.explain(err)
}

// transmissions counts how often a request was sent without a response.
type transmissions struct {
	cancel        context.CancelCauseFunc
	count         atomic.Int64
	any           atomic.Bool
	informational atomic.Int64
	answered      atomic.Bool
	stopped       atomic.Bool
}

func (t *transmissions) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:              t.gotConn,
		WroteHeaders:         func() { t.any.Store(true); t.count.Add(1) },
		GotFirstResponseByte: func() { t.answered.Store(true) },
		Got1xxResponse:       t.got1xx,
	}
}

func (t *transmissions) getBody(again func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		if t.any.Load() {
			return nil, errArrived
		}
		return again()
	}
}

// got1xx undoes answered: the first byte belonged to a 1xx response.
func (t *transmissions) got1xx(int, textproto.MIMEHeader) error {
	t.answered.Store(false)
	if t.informational.Add(1) > max1xx {
		return errMany1xx
	}
	return nil
}

// gotConn cancels the request before one transmission too many. A response restarts the
// count, because the caller's transport may retry after a 503.
//
// Over HTTP/2, net/http checks the context before writing. Over HTTP/1.1 it doesn't, but
// no other request uses the connection, so we close it.
func (t *transmissions) gotConn(info httptrace.GotConnInfo) {
	if t.answered.Swap(false) {
		t.count.Store(0)
	}
	if t.count.Load() < maxTransmissions {
		return
	}
	t.stopped.Store(true)
	t.cancel(errUnanswered)
	if !isHTTP2(info.Conn) {
		_ = info.Conn.Close()
	}
}

// isHTTP2 reports whether conn may carry other requests. It misses unencrypted HTTP/2,
// where the other requests fail, too.
func isHTTP2(conn net.Conn) bool {
	encrypted, ok := conn.(interface{ ConnectionState() tls.ConnectionState })
	return ok && encrypted.ConnectionState().NegotiatedProtocol == "h2"
}

func (t *transmissions) explain(err error) error {
	if t.stopped.Load() {
		err = errUnanswered
	}
	if t.any.Load() {
		return &transmittedError{err}
	}
	return err
}

// transmittedError marks the error from a request that was sent, perhaps by an earlier
// attempt.
type transmittedError struct{ err error }

func (e *transmittedError) Error() string { return e.err.Error() }
func (e *transmittedError) Unwrap() error { return e.err }

func unwrapTransmitted(err error) (transmitted bool, cause error) {
	var e *transmittedError
	if errors.As(err, &e) {
		return true, e.err
	}
	return false, err
}

const longest = math.MaxInt64 / time.Second * time.Second

// seconds also matches fractions: HTTP has whole seconds, but some servers send 0.5.
var seconds = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// RetryAfter returns how long a Retry-After header asks to wait, in seconds or as an HTTP
// date. It reports false if the header is missing or invalid. A past date means 0, and a
// wait too long for a Duration is cut to the longest that fits, in whole seconds.
func RetryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds.MatchString(text) {
		n, _ := strconv.ParseFloat(text, 64) // +Inf if out of range
		if n < float64(longest/time.Second) {
			return time.Duration(n * float64(time.Second)), true
		}
		return longest, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// maxSecret exceeds any token that fits into a header.
const maxSecret = 16 << 10

// Excerpt returns the first n characters of a response body, redacted. It replaces
// invalid UTF-8 by U+FFFD, never splits a character, and looks at the first 64 KiB only.
//
// redact runs first, because it would miss a credential that was cut or repaired. If the
// body was cut, its end may hold half a credential and is never shown.
func Excerpt(body []byte, n int, redact func(string) string) string {
	body = body[:min(len(body), maxErrorBytes)]
	text := redact(string(body))
	if len(body) >= maxErrorBytes {
		text = text[:max(len(text)-maxSecret, 0)]
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// OneLine replaces control characters and line separators by spaces, so that external
// text can't add lines or colors to a log.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)
}
