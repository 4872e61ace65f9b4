package client_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

// These tests cover pause lengths.

// delays returns the pauses between n requests that a client makes with fail, many times
// over.
func delays(t *testing.T, policy client.RetryPolicy, fail http.HandlerFunc) (all [][]time.Duration) {
	t.Helper()
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			var times []time.Time
			c := inProcess(t, func(w http.ResponseWriter, r *http.Request) { times = append(times, time.Now()); fail(w, r) }, client.WithRetry(policy))
			_, err := c.ListPeers(t.Context())
			require.Error(t, err)
			var pauses []time.Duration
			for i := range len(times) - 1 {
				pauses = append(pauses, times[i+1].Sub(times[i]))
			}
			all = append(all, pauses)
		})
	}
	return all
}

// checkSpread requires that the values are random between low and high, and use that
// range.
func checkSpread(t *testing.T, low, high time.Duration, values []time.Duration) {
	t.Helper()
	least, most := slices.Min(values), slices.Max(values)
	assert.GreaterOrEqual(t, least, low)
	assert.LessOrEqual(t, most, high)
	assert.Greater(t, most-least, (high-low)/2, "the values are spread")
}

func column(rows [][]time.Duration, i int) (values []time.Duration) {
	for _, row := range rows {
		values = append(values, row[i])
	}
	return values
}

func TestDefaultRetryPolicy(t *testing.T) {
	t.Parallel()
	all := delays(t, client.RetryPolicy{}, status(503))
	for _, pauses := range all {
		require.Len(t, pauses, 2, "three attempts")
	}
	checkSpread(t, 100*time.Millisecond, 200*time.Millisecond, column(all, 0))
	checkSpread(t, 200*time.Millisecond, 400*time.Millisecond, column(all, 1))

	long := delays(t, client.RetryPolicy{MaxAttempts: 9}, status(503))
	checkSpread(t, 2500*time.Millisecond, 5*time.Second, column(long, 7))
}

func TestRetryAfterHasJitterOfAQuarter(t *testing.T) {
	t.Parallel()
	all := delays(t, client.RetryPolicy{MaxAttempts: 2}, status(429, "Retry-After", "8"))
	checkSpread(t, 8*time.Second, 10*time.Second, column(all, 0))
}
