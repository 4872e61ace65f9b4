package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

// RetryPolicy says how often and how patiently a request is tried again; [WithRetry] switches it on.
//
// Tried again are failures of the network (a timeout of the request among them) and the statuses 429, 502, 503 and 504:
// for every read, for MarkRead, and for Send under an idempotency key, which WithRetry adds where none is given. Older
// gateways ignore the key (WIRE.md G10); with one of them a repeated send may arrive twice. Of a read, a 2xx answer that
// breaks off is a failure of the network too; a Send that was accepted is never repeated. Nor is Register, nor anything
// after the caller's context has ended or the client was closed.
//
// The wait doubles from BaseDelay to MaxDelay, and half of it is chance. A Retry-After header is honoured when it asks
// for more, up to a minute and with up to a quarter on top; beyond that the error comes back at once. Which failures are repeated may change in a later
// version.
type RetryPolicy struct {
	// MaxAttempts is the number of requests in all, the first included; 0 means 3.
	MaxAttempts int
	// BaseDelay is the wait before the second attempt; 0 means 200 ms.
	BaseDelay time.Duration
	// MaxDelay bounds a wait; 0 means 5 s.
	MaxDelay time.Duration
}

// longestRetryAfter is the longest wait a gateway can ask for.
const longestRetryAfter = time.Minute

func (p RetryPolicy) withDefaults() (RetryPolicy, error) {
	if p.MaxAttempts < 0 || p.BaseDelay < 0 || p.MaxDelay < 0 {
		return p, &ValueError{Field: "retry policy", Reason: "has a negative number"}
	}
	if p.MaxAttempts == 0 {
		p.MaxAttempts = 3
	}
	if p.BaseDelay == 0 {
		p.BaseDelay = 200 * time.Millisecond
	}
	if p.MaxDelay == 0 {
		p.MaxDelay = 5 * time.Second
	}
	return p, nil
}

// wait says whether a failed attempt is followed by another, and after how long. A nil policy never retries.
func (p *RetryPolicy) wait(ctx context.Context, op operation, attempt int, failed *call.Error) (time.Duration, bool) {
	if p == nil || !op.repeatable || attempt >= p.MaxAttempts || ctx.Err() != nil || !transient(op, failed) {
		return 0, false
	}
	asked, _ := call.RetryAfter(failed.Header, time.Now())
	if asked > max(longestRetryAfter, p.MaxDelay) {
		return 0, false
	}
	return max(jitter(backoff(p.BaseDelay, p.MaxDelay, attempt)), scattered(asked)), true
}

// transient reports whether the same request may well succeed a little later. What the gateway has accepted must not be
// sent again; too large a body will be too large again.
func transient(op operation, failed *call.Error) bool {
	switch failed.Status {
	case 0:
		return !errors.Is(failed.Err, errClosed)
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return accepted(failed.Status) && !op.delivers && !errors.Is(failed.Err, call.ErrTooLarge)
}

// backoff is base doubled for every attempt after the first, at most limit.
func backoff(base, limit time.Duration, attempt int) time.Duration {
	d := base
	for range attempt - 1 {
		if d >= limit {
			break
		}
		d *= 2
	}
	return min(d, limit)
}

// jitter returns a time between half of d and d, so that clients that failed together do not come back together.
func jitter(d time.Duration) time.Duration {
	if d < 2 {
		return d
	}
	return d/2 + rand.N(d/2) //nolint:gosec // spreading load is no secret
}

// scattered is what the gateway asks for and up to a quarter more: not all are to come back at the moment that all were told.
func scattered(asked time.Duration) time.Duration {
	return asked + rand.N(asked/4+1) //nolint:gosec // spreading load is no secret
}

// sleep waits for d or for the end of ctx, whose error it returns then.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
