package agent

import (
	"errors"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/internal/pause"
)

// failure tells what an error means for the next request.
type failure int

const (
	none    failure = iota // no request failed, or the client is closed
	other                  // a status with no meaning here, such as a redirect
	away                   // no response, or one of a proxy without a gateway
	trouble                // an error inside the gateway, or too many requests
	broken                 // a 2xx response that is invalid or breaks off: the gateway is there
	passing                // of a proxy, perhaps: a path that every gateway has is missing, or the request took too long
	absent                 // the gateway's own 404: there is no such message, thread or peer
	refused                // a 4xx that stays
)

// failures are the statuses whose meaning their class, such as 4xx, does not give.
var failures = map[int]failure{
	0:                             away,
	http.StatusBadGateway:         away,
	http.StatusServiceUnavailable: away,
	http.StatusGatewayTimeout:     away,
	http.StatusTooManyRequests:    trouble,
	http.StatusRequestTimeout:     passing,
	http.StatusNotFound:           absent,
}

// status / 100 -> meaning
var failureClasses = map[int]failure{2: broken, 4: refused, 5: trouble}

func classify(err error) failure {
	var failed *client.MeshGatewayError
	if !errors.As(err, &failed) || errors.Is(err, seam.ErrClosed) {
		return none
	}
	class, known := failures[failed.StatusCode]
	if !known {
		class, known = failureClasses[failed.StatusCode/100]
	}
	switch {
	case !known:
		return other
	case class == absent && errors.Is(err, client.ErrNoSuchPath):
		return passing
	}
	return class
}

// unreached reports that a poll did not reach a gateway that works.
func (f failure) unreached() bool { return f == away || f == trouble }

// failedRequest returns the zero value if no request failed.
func failedRequest(err error) (failed client.MeshGatewayError) {
	if e := (*client.MeshGatewayError)(nil); errors.As(err, &e) {
		failed = *e
	}
	return failed
}

func statusOf(err error) int { return failedRequest(err).StatusCode }

// incorrect reports a complete response to another request than the one that was sent.
func incorrect(method string, err error) error {
	return &client.MeshGatewayError{Method: method, Path: "/messages", StatusCode: http.StatusOK, Err: err}
}

const (
	// maxPause is the longest pause after failures, and maxAwayPause while the gateway is
	// unreachable. An unreachable gateway then receives about as many requests as ordinary
	// polls send.
	maxPause     = time.Minute
	maxAwayPause = DefaultIdleInterval
	// failurePause is the longest pause after a first failure.
	failurePause = time.Second
)

// RetryPause returns how long [Serve] waits before it repeats a request that has failed
// several times in a row, the last time with err. A program with its own loop, such as
// one that registers the node before Serve, can wait as long.
//
// The pause is a second, doubled for each further failure up to a minute, or up to five
// seconds while the gateway is unreachable (no response, or a status from 502 to 504). It
// is shortened at random by up to half, to spread programs that failed together. A
// Retry-After in err is honored up to a minute.
func RetryPause(err error, failures int) time.Duration {
	return pauseAfter(failurePause, failures, err, pause.Shorten)
}

// pauseAfter returns the pause after failures in a row, the last one with err: base
// doubled for each failure after the first, up to its limit, which is never below base,
// and spread at random.
func pauseAfter(base time.Duration, failures int, err error, spread func(time.Duration) time.Duration) time.Duration {
	limit := maxPause
	if classify(err) == away {
		limit = maxAwayPause
	}
	return max(spread(pause.Backoff(base, max(base, limit), failures)), pause.Lengthen(min(failedRequest(err).RetryAfter, pause.MaxRetryAfter)))
}
