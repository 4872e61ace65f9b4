package client

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"
)

const (
	// maxPause is the longest pause after failures, and maxAwayPause while the gateway cannot be reached: that of an ordinary poll, so that
	// a gateway that is away receives about as many requests as one that is there.
	maxPause     = time.Minute
	maxAwayPause = DefaultWatchInterval
	// maxRetryAfter is the longest Retry-After that is honored.
	maxRetryAfter = time.Minute
	// failurePause is the longest pause after a first failure.
	failurePause = time.Second
)

// RetryPause returns how long to wait before a request is repeated that has failed several times in a row, the last time with err: a
// second, doubled for each further failure up to a minute, or up to five seconds while the gateway cannot be reached, as without a
// response or with a status from 502 to 504. It is shortened at random by up to half, so that programs that failed together do not return
// together. The Retry-After of err, up to a minute, is honored. [MeshClient.Serve] pauses so.
func RetryPause(err error, failures int) time.Duration {
	return pauseAfter(failurePause, failures, err, jitter)
}

// pauseAfter returns the pause after failures in a row, the last one with err: base doubled for each failure after the first, up to its
// limit, which is never below base, and spread at random.
func pauseAfter(base time.Duration, failures int, err error, spread func(time.Duration) time.Duration) time.Duration {
	limit := maxPause
	if isAway(err) {
		limit = maxAwayPause
	}
	return max(spread(backoff(base, max(base, limit), failures)), withJitter(min(retryAfter(err), maxRetryAfter)))
}

// backoff returns base doubled for every attempt after the first, at most limit.
func backoff(base, limit time.Duration, attempt int) time.Duration {
	d := base
	for range attempt - 1 {
		if d > limit/2 { // d*2 may overflow
			return limit
		}
		d *= 2
	}
	return min(d, limit)
}

// jitter returns a random time between half of d and d.
func jitter(d time.Duration) time.Duration {
	if d < 2 {
		return d
	}
	return d/2 + rand.N(d/2) //nolint:gosec // spreading load needs no secure random numbers
}

// vary returns d varied at random by up to a quarter.
func vary(d time.Duration) time.Duration {
	d = min(d, math.MaxInt64/2)    // no overflow below
	return d - d/4 + rand.N(d/2+1) //nolint:gosec // spreading load needs no secure random numbers
}

// withJitter returns d plus up to a quarter, for clients that received the same Retry-After.
func withJitter(d time.Duration) time.Duration {
	return d + rand.N(d/4+1) //nolint:gosec // spreading load needs no secure random numbers
}

// retryAfter returns the RetryAfter of err, or 0.
func retryAfter(err error) time.Duration {
	var failed *MeshGatewayError
	if errors.As(err, &failed) {
		return failed.RetryAfter
	}
	return 0
}
