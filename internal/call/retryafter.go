package call

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter returns how long the header asks to wait, from seconds or from an HTTP date; ok is false when it does not
// say, or says it in a way nobody can read. A date in the past is no wait at all, and more seconds than a Duration can
// hold are the longest one.
func RetryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	seconds, err := strconv.ParseUint(text, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(math.MaxInt64/time.Second))) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
