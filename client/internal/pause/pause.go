// Package pause computes the pauses between repeated requests.
package pause

import (
	"math"
	"math/rand/v2"
	"time"
)

// MaxRetryAfter is the longest Retry-After that we honor.
const MaxRetryAfter = time.Minute

// Backoff doubles base for each attempt after the first, up to limit.
func Backoff(base, limit time.Duration, attempt int) time.Duration {
	d := base
	for range attempt - 1 {
		if d > limit/2 { // d*2 may overflow
			return limit
		}
		d *= 2
	}
	return min(d, limit)
}

// Shorten returns a random duration between d/2 and d.
func Shorten(d time.Duration) time.Duration {
	if d < 2 {
		return d
	}
	return d/2 + rand.N(d/2) //nolint:gosec // spreading load needs no secure random numbers
}

// Vary changes d at random by up to a quarter.
func Vary(d time.Duration) time.Duration {
	d = min(d, math.MaxInt64/2)    // prevents an overflow below
	return d - d/4 + rand.N(d/2+1) //nolint:gosec // spreading load needs no secure random numbers
}

// Lengthen adds up to a quarter at random, to spread clients that got the same
// Retry-After.
func Lengthen(d time.Duration) time.Duration {
	return d + rand.N(d/4+1) //nolint:gosec // spreading load needs no secure random numbers
}
