package discovery_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// The default timeouts apply, unless the context ends earlier.
func TestTimeoutsOfBillsAndBalances(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		for beginning, status := range map[string]int{"": 0, `{"data":[`: 200} {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeServer(map[string]http.HandlerFunc{b.service: hangs(beginning)})
				c := s.inMemory(t)
				check := func(ctx context.Context, timeout, want time.Duration) {
					begin := time.Now()
					empty, err := b.call(ctx, c, timeout)
					require.NoError(t, err)
					assert.True(t, empty)
					assert.Equal(t, want, time.Since(begin), operation)
				}
				check(t.Context(), 0, b.usual)
				check(t.Context(), time.Second, time.Second)
				check(t.Context(), time.Hour, time.Hour)
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				defer cancel()
				check(ctx, 0, time.Millisecond)
				require.Len(t, s.failures, 4)
				for _, f := range s.failures {
					assert.Equal(t, discovery.ReasonTimeout, f.Reason)
					assert.Equal(t, status, f.StatusCode)
					assert.Equal(t, b.provider, f.Provider)
					assert.Equal(t, operation, f.Operation)
				}
				assert.Equal(t, 4, s.count(b.service))
			})
		}
	}
}

// The timeout applies to each page, not to the whole list.
func TestTimeoutAppliesToEachPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := int64(0)
		s := newFakeServer(map[string]http.HandlerFunc{"openai": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(10 * time.Second)
			n++
			_, _ = w.Write([]byte(costPage(n < 5, strconv.Quote(fmt.Sprint("p", n)), costDay(n))))
		}})
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
		require.NoError(t, err)
		assert.Len(t, buckets, 5)
	})
}

func TestCanceledBillIsEmpty(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		ctx, cancel := context.WithCancel(t.Context())
		s := newFakeServer(map[string]http.HandlerFunc{b.service: func(http.ResponseWriter, *http.Request) { cancel() }})
		empty, err := b.call(ctx, s.inProcess(), 0)
		require.NoError(t, err)
		assert.True(t, empty, operation)
		f := requireOneFailure(t, s, discovery.ReasonNetwork)
		require.ErrorIs(t, f, context.Canceled)
	}
}
