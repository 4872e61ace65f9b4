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
		synctest.Test(t, func(t *testing.T) {
			s := newFakeServer(map[string]http.HandlerFunc{b.service: hangs("")})
			for wait, timeout := range map[time.Duration]time.Duration{b.usual: 0, time.Second: time.Second, time.Hour: time.Hour} {
				begin := time.Now()
				_, err := b.call(t.Context(), s.inProcess(), timeout)
				require.NoError(t, err)
				assert.Equal(t, wait, time.Since(begin), operation)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			begin := time.Now()
			_, err := b.call(ctx, s.inProcess(), 0)
			require.NoError(t, err)
			assert.Equal(t, time.Millisecond, time.Since(begin))
			for _, f := range s.failures {
				assert.Equal(t, discovery.ReasonTimeout, f.Reason)
			}
			assert.Len(t, s.failures, 4)
		})
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
