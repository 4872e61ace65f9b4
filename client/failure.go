package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
)

// statusOf returns the status of a failed request, which is 0 if there was no response. It returns -1 if err is no such failure, or that of
// a client that is closed.
func statusOf(err error) int {
	var failed *MeshGatewayError
	if !errors.As(err, &failed) || errors.Is(err, errClosed) {
		return -1
	}
	return failed.StatusCode
}

// isAway reports whether err shows that the gateway cannot be reached: there was no response, or one of a proxy without a gateway.
func isAway(err error) bool {
	return slices.Contains([]int{0, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, statusOf(err))
}

// isOutage reports whether a later attempt may succeed: there was no response, or a 2xx response that is invalid or breaks off,
// or one that a gateway in trouble sends.
func isOutage(err error) bool {
	status := statusOf(err)
	return status == 0 || accepted(status) || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// isUnreachable reports whether a poll failed because there was no response, or one of a gateway in trouble.
func isUnreachable(err error) bool { return isOutage(err) && !accepted(statusOf(err)) }

// isRefusal reports whether the gateway refused a request for good. A proxy answers 404 while it has no gateway to forward to.
func isRefusal(err error) bool {
	status := statusOf(err)
	return status/100 == 4 && !slices.Contains([]int{http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooManyRequests}, status)
}

// isSlow reports whether the header of a 2xx response arrived, but its body took longer than the timeout.
func isSlow(err error) bool {
	return accepted(statusOf(err)) && errors.Is(err, context.DeadlineExceeded)
}

// isMarked reports whether err is the gateway's 404 for a message that is marked already.
func isMarked(err error) bool {
	return statusOf(err) == http.StatusNotFound && !errors.Is(err, ErrNoSuchPath)
}

// isDelivered reports whether err is that of a message which the gateway has accepted.
func isDelivered(err error) bool {
	var failed *MeshGatewayError
	return errors.As(err, &failed) && failed.Delivered
}
