package client

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/client/internal/pause"
	"github.com/mesh-gateway/mesh-go/internal/call"
)

// RetryPolicy configures which failed requests are repeated and when; [WithRetry] enables
// it.
//
// Reads, MarkRead, OpenThread, and messages with an idempotency key are repeated after a
// network failure (including their own timeout) and after status 429, 502, 503 or 504. If
// a message has no key, WithRetry adds a random one. A gateway that ignores keys may
// store a repeated message twice.
//
// Register is never repeated, and neither is a Send that the gateway accepted, nor a
// request if its response is too large (or, in Watch, too slow). Retries stop when the
// caller's context ends or the client is closed. Later versions may repeat other
// failures.
//
// The delay doubles with each request, from BaseDelay to MaxDelay, and is shortened at
// random by up to half. A longer Retry-After replaces it, lengthened at random by up to a
// quarter. If Retry-After exceeds both one minute and MaxDelay, the error is returned at
// once.
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

// transient reports whether the same request may succeed later. An accepted message must
// not be repeated, and a response that was too large will be too large again.
func transient(op operation, failed *call.Error) bool {
	switch failed.Status {
	case 0, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	slow := op.shrinks && errors.Is(failed.Err, context.DeadlineExceeded)
	return accepted(failed.Status) && !op.delivers && !slow && !errors.Is(failed.Err, call.ErrTooLarge)
}
