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

// maxTransmissions is the number of times that a request may be transmitted without a response.
const maxTransmissions = 3

// max1xx bounds the informational responses to a request. net/http bounds them only without a trace of them.
const max1xx = 10

var (
	// errUnanswered is the error in place of a further transmission.
	errUnanswered = fmt.Errorf("the request was transmitted %d times without a response", maxTransmissions)
	// errArrived is the error of GetBody, which net/http returns as it is.
	errArrived = errors.New("the server ended the request, which is not transmitted again because it may have arrived")
	errMany1xx = fmt.Errorf("the server sent more than %d responses with a status of 1xx", max1xx)
)

// transmit sends req with next and bounds the repetitions of net/http. If a request has no body, or has GetBody, net/http
// repeats it whenever the server refuses it over HTTP/2, and each repetition may arrive.
//
// GetBody therefore fails once headers were written. [Transport] keeps it: over HTTP/1.1 it repeats a POST only if it has written
// nothing of it.
func transmit(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	hasBody := req.Body != nil && req.Body != http.NoBody
	if _, own := next.(ownTransport); own && hasBody {
		return next.RoundTrip(req)
	}
	// The context lives until the body of the response has been read. Do ends the one above it.
	ctx, cancel := context.WithCancelCause(req.Context())
	t := &transmissions{cancel: cancel}
	req = req.WithContext(httptrace.WithClientTrace(ctx, t.trace())) // a copy: the request belongs to the caller
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

// transmissions counts how often one request is transmitted without a response.
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

// getBody returns the GetBody of the request that is sent.
func (t *transmissions) getBody(again func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		if t.any.Load() {
			return nil, errArrived
		}
		return again()
	}
}

// got1xx records that the first byte did not begin the response.
func (t *transmissions) got1xx(int, textproto.MIMEHeader) error {
	t.answered.Store(false)
	if t.informational.Add(1) > max1xx {
		return errMany1xx
	}
	return nil
}

// gotConn ends the request before a transmission too many. A response ends the count: a transport of the caller may repeat the
// request after a 503.
//
// Over HTTP/2 net/http checks the context before it writes. Over HTTP/1.1 it does not, but no other request uses the connection.
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

// isHTTP2 reports whether other requests may use conn. Unencrypted HTTP/2 is not recognized: its other requests fail too.
func isHTTP2(conn net.Conn) bool {
	encrypted, ok := conn.(interface{ ConnectionState() tls.ConnectionState })
	return ok && encrypted.ConnectionState().NegotiatedProtocol == "h2"
}

// explain returns the error of a request for which next returned err.
func (t *transmissions) explain(err error) error {
	if t.stopped.Load() {
		err = errUnanswered
	}
	if t.any.Load() {
		return &transmittedError{err}
	}
	return err
}

// transmittedError is the error of a request that was transmitted, perhaps before the attempt that failed with err.
type transmittedError struct{ err error }

func (e *transmittedError) Error() string { return e.err.Error() }
func (e *transmittedError) Unwrap() error { return e.err }

// unwrapTransmitted returns what a transmittedError wraps, and whether err is one.
func unwrapTransmitted(err error) (transmitted bool, cause error) {
	var e *transmittedError
	if errors.As(err, &e) {
		return true, e.err
	}
	return false, err
}

const longest = math.MaxInt64 / time.Second * time.Second

// seconds matches a number of seconds. HTTP has whole ones; some servers send fractions.
var seconds = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// RetryAfter returns the wait that a Retry-After header requests, in seconds or as an HTTP
// date. ok is false if the header is missing or invalid. A date in the past is a wait of 0,
// and a wait that does not fit into a Duration is the longest one of whole seconds.
func RetryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds.MatchString(text) {
		n, _ := strconv.ParseFloat(text, 64) // +Inf if it is out of range
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

// maxSecret is more than the length of any token that fits into a header.
const maxSecret = 16 << 10

// Excerpt returns the first n characters of a response body, redacted. Invalid UTF-8 becomes U+FFFD, and no character is split.
//
// redact runs before anything else, since it would not recognize a credential with a replaced byte or a part of one. For the
// same reason the end of a body that was read only in part is not shown. No more than the first 64 KiB are read.
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

// OneLine replaces control characters and line separators by blanks, so that text from outside cannot add lines or colors to a log.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)
}
