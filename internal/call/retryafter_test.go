package call_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now, long := time.Date(2026, 11, 21, 8, 0, 0, 500, time.UTC), strings.Repeat("9", 400)
	for text, want := range map[string]time.Duration{
		"0":                                0,
		"120":                              2 * time.Minute,
		" 7 ":                              7 * time.Second,
		"007":                              7 * time.Second,
		"1.5":                              1500 * time.Millisecond,
		"0.25":                             250 * time.Millisecond,
		"30.0":                             30 * time.Second,
		"99999999999999999999.5":           9223372036 * time.Second,
		long + ".1":                        9223372036 * time.Second,
		"2147483648":                       2147483648 * time.Second,
		"9223372037":                       9223372036 * time.Second, // the longest Duration
		"99999999999999999999999999":       9223372036 * time.Second,
		"Sat, 21 Nov 2026 08:01:00 GMT":    time.Minute - 500,
		"Saturday, 21-Nov-26 08:01:00 GMT": time.Minute - 500,
		"Sat Nov 21 08:01:00 2026":         time.Minute - 500,
		"Sat, 21 Nov 2026 07:59:00 GMT":    0,
		"Thu, 01 Jan 1970 00:00:00 GMT":    0,
	} {
		wait, ok := call.RetryAfter(http.Header{"Retry-After": {text}}, now)
		assert.True(t, ok, text)
		assert.Equal(t, want, wait, text)
	}
	for _, text := range []string{
		"", "-1", "-0", "+5", "1.", ".5", "1.5.5", "1,5", "-1.5", "NaN", "Inf", "1_0", "1e3", "soon", "5s", "0x10", "1 2",
		"Sat, 21 Nov 2026", "2026-11-21T08:01:00Z", "Sat, 99 Nov 2026 08:01:00 GMT", "\x00",
	} {
		wait, ok := call.RetryAfter(http.Header{"Retry-After": {text}}, now)
		assert.False(t, ok, text)
		assert.Zero(t, wait, text)
	}
	// Without a response there is no header.
	for _, header := range []http.Header{nil, {}, {"Retry-After": nil}} {
		_, ok := call.RetryAfter(header, now)
		assert.False(t, ok)
	}
}

// A wait that overflows would be in the past.
func TestRetryAfterNeverOverflows(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for _, text := range []string{"2147483647", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		wait, ok := call.RetryAfter(http.Header{"Retry-After": {text}}, now)
		assert.True(t, ok)
		assert.Positive(t, wait)
	}
}
