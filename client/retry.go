package client

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/pause"
)

// RetryPolicy configures which failed requests are repeated and when; [WithRetry] enables
// it.
//
// A request is repeated after a network failure (including its own timeout) and after the
// statuses 429, 502, 503 and 504, if it is a read, a MarkRead, an OpenThread, or a Send
// with an idempotency key. If a message has no key, WithRetry adds a random
// one. A gateway that ignores keys may then store a message twice.
//
// A Register, a Send that the gateway accepted and a request whose response is too large,
// or too slow for Watch, are not repeated. Nothing is repeated after the caller's context
// has ended or the client is closed. Later versions may repeat other failures.
//
// The delay doubles with each request, from BaseDelay to MaxDelay. Each delay is
// shortened at random by up to half. If the gateway requests a longer wait with
// Retry-After, that wait is used, lengthened at random by up to a quarter. If it requests
// more than one minute and more than MaxDelay, the error is returned at once.
type RetryPolicy struct {
	// MaxAttempts is the maximum number of requests, including the first; 0 means 3.
	MaxAttempts int
	// BaseDelay is the longest delay before the second request; 0 means 200 ms.
	BaseDelay time.Duration
	// MaxDelay is the longest delay before any request; 0 means 5 s.
	MaxDelay time.Duration
}

func (p RetryPolicy) withDefaults() (RetryPolicy, error) {
	if p.MaxAttempts < 0 || p.BaseDelay < 0 || p.MaxDelay < 0 {
		return p, invalid("policy", "must not contain negative numbers")
	}
	p.MaxAttempts = cmp.Or(p.MaxAttempts, 3)
	p.BaseDelay = cmp.Or(p.BaseDelay, 200*time.Millisecond)
	p.MaxDelay = cmp.Or(p.MaxDelay, 5*time.Second)
	return p, nil
}

// wait reports whether a failed attempt is repeated, and after which delay. A nil policy
// never repeats.
func (p *RetryPolicy) wait(ctx context.Context, op operation, attempt int, failed *call.Error) (time.Duration, bool) {
	if p == nil || !op.repeatable || attempt >= p.MaxAttempts || ctx.Err() != nil || !transient(op, failed) {
		return 0, false
	}
	requested, _ := call.RetryAfter(failed.Header, time.Now())
	if requested > max(pause.MaxRetryAfter, p.MaxDelay) {
		return 0, false
	}
	return max(pause.Shorten(pause.Backoff(p.BaseDelay, p.MaxDelay, attempt)), pause.Lengthen(requested)), true
}

// transient reports whether the same request may succeed later. We must not repeat a
// message that the gateway accepted, and a response that was too large will be too large
// again.
func transient(op operation, failed *call.Error) bool {
	switch failed.Status {
	case 0, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	slow := op.shrinks && errors.Is(failed.Err, context.DeadlineExceeded)
	return accepted(failed.Status) && !op.delivers && !slow && !errors.Is(failed.Err, call.ErrTooLarge)
}
