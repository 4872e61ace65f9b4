package agent

import (
	"errors"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/internal/pause"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
)

// failure classifies errors by their consequence for the next request.
type failure int

const (
	none    failure = iota // no request failed, or the client is closed
	other                  // a status with no meaning here, such as a redirect
	away                   // no response, or a proxy that can't reach the gateway
	trouble                // an error inside the gateway, or too many requests
	broken                 // a 2xx response that is invalid or breaks off: the gateway is there
	passing                // perhaps from a proxy: the path is missing, or the request took too long
	absent                 // the gateway's own 404: there is no such message, thread or peer
	refused                // any other 4xx: repeating the request won't help
)

// failures holds statuses that differ from the rest of their class, such as 4xx.
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

// unreached reports that a poll did not reach a working gateway.
func (f failure) unreached() bool { return f == away || f == trouble }

// failedRequest returns the zero value if no request failed.
func failedRequest(err error) (failed client.MeshGatewayError) {
	if e := (*client.MeshGatewayError)(nil); errors.As(err, &e) {
		failed = *e
	}
	return failed
}

func statusOf(err error) int { return failedRequest(err).StatusCode }

// incorrect reports a complete response that is not what was requested.
func incorrect(method string, err error) error {
	return &client.MeshGatewayError{Method: method, Path: "/messages", StatusCode: http.StatusOK, Err: err}
}

const (
	// maxPause is the longest pause after failures, or maxAwayPause while the gateway is
	// unreachable: no more requests than idle polls would send.
	maxPause     = time.Minute
	maxAwayPause = DefaultIdleInterval
	// failurePause is the longest pause after a first failure.
	failurePause = time.Second
)

// RetryPause returns how long [Serve] waits after the given number of failures in a row,
// the last with err. Use it for your own retry loop, for example one that registers the
// node before Serve.
//
// The pause starts at a second and doubles up to a minute, or up to five seconds while
// the gateway is unreachable (no response, or status 502, 503 or 504). It is shortened at
// random by up to half, so programs that failed together don't retry together. If err has
// a longer Retry-After, the pause is at least that, up to a minute.
func RetryPause(err error, failures int) time.Duration {
	return pauseAfter(failurePause, failures, err, pause.Shorten)
}

// pauseAfter doubles base for each failure after the first, up to a limit that is never
// below base, and randomizes the result with spread.
func pauseAfter(base time.Duration, failures int, err error, spread func(time.Duration) time.Duration) time.Duration {
	limit := maxPause
	if classify(err) == away {
		limit = maxAwayPause
	}
	return max(spread(pause.Backoff(base, max(base, limit), failures)), pause.Lengthen(min(failedRequest(err).RetryAfter, pause.MaxRetryAfter)))
}
