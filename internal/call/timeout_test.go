package call_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/test/pipe"
)

// drip sends a body of n bytes, one before each pause.
func drip(status, n int, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		for range n {
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(pause):
			}
		}
	}
}

func TestABodyMayContinueWhileBytesArrive(t *testing.T) {
	t.Parallel()
	const timeout = 10 * time.Second
	for name, row := range map[string]struct {
		handler http.HandlerFunc
		whole   bool
		body    int           // bytes
		failure string        // or "" for a complete response
		after   time.Duration // of the end
	}{
		"bytes arrive":       {drip(200, 5, 9*time.Second), false, 5, "", 45 * time.Second},
		"silence":            {drip(200, 5, 11*time.Second), false, 1, "no complete response within 10s", timeout},
		"later silence":      {func(w http.ResponseWriter, r *http.Request) { drip(200, 3, 9*time.Second)(w, r); stall(200)(w, r) }, false, 7, "no complete response within 30s", 37 * time.Second},
		"without end":        {drip(200, 50, 9*time.Second), false, 12, "no complete response within 1m40s", 100 * time.Second},
		"the whole body":     {drip(200, 5, 9*time.Second), true, 2, "no complete response within 10s", timeout},
		"late header":        {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, false, 0, "no complete response within 10s", timeout},
		"error that arrives": {drip(503, 3, 9*time.Second), false, 3, "status 503", 27 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			own := call.Client(&http.Client{Transport: pipe.Transport(t, row.handler)})
			began := time.Now()
			resp, failed := call.Do(t.Context(), call.Limits{Timeout: timeout, MaxBytes: 1 << 20, WholeBody: row.whole}, sender(own, http.MethodGet, "http://server.test"))
			assert.Equal(t, row.after, time.Since(began).Truncate(time.Second), name)
			if row.failure == "" {
				require.Nil(t, failed, name)
				assert.Len(t, resp.Body, row.body, name)
				return
			}
			require.NotNil(t, failed, name)
			assert.Len(t, failed.Body, row.body, name)
			assert.True(t, strings.HasPrefix(failed.Error(), row.failure), "%s: %v", name, failed)
			if failed.Status != 503 {
				assert.ErrorIs(t, failed, context.DeadlineExceeded, name)
			}
		})
	}
}

func TestTheLongestTimeoutDoesNotOverflow(t *testing.T) {
	t.Parallel()
	resp, failed := get(t, serve(t, drip(200, 2, 0)), call.Limits{Timeout: 1<<63 - 1, MaxBytes: 9})
	require.Nil(t, failed)
	assert.Len(t, resp.Body, 2)
}
