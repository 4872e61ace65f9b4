package call

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter returns how long the header asks to wait, from seconds or from an HTTP date; ok is false when it does not
// say, or says it in a way nobody can read. A date in the past is no wait at all.
func RetryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
