package call

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const longest = math.MaxInt64 / time.Second * time.Second

// seconds matches a number of seconds. HTTP has whole ones; some servers send fractions.
var seconds = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// RetryAfter returns the wait that a Retry-After header requests, in seconds or as an HTTP
// date. ok is false if the header is missing or invalid. A date in the past is a wait of 0,
// and a wait that does not fit into a Duration is the longest one of whole seconds.
func RetryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds.MatchString(text) {
		n, _ := strconv.ParseFloat(text, 64) // +Inf if it is out of range
		if n < float64(longest/time.Second) {
			return time.Duration(n * float64(time.Second)), true
		}
		return longest, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
