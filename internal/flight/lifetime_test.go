package flight_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/flight"
)

type contextKey struct{}

func TestTheCallGetsTheValuesOfTheContextButNotItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), contextKey{}, "trace"), time.Minute)
		defer cancel()
		value, joined, err := f.Do(ctx, func(inner context.Context) (string, error) {
			_, bounded := inner.Deadline()
			assert.False(t, bounded, "the deadline is that of one caller, the call is everybody's")
			return inner.Value(contextKey{}).(string), inner.Err()
		})
		require.NoError(t, err)
		assert.False(t, joined)
		assert.Equal(t, "trace", value)
	})
}

func TestAContextThatHasEndedStartsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, joined, err := f.Do(ended, func(context.Context) (string, error) {
			t.Error("a call was started")
			return "", nil
		})
		require.ErrorIs(t, err, context.Canceled)
		assert.False(t, joined)

		// Nor does it board a call that is under way: such a caller would be counted, and never wait.
		l := newLanding()
		other := board(t.Context(), &f, l.fly)
		synctest.Wait()
		_, joined, err = f.Do(ended, l.fly)
		require.ErrorIs(t, err, context.Canceled)
		assert.False(t, joined)
		l.land <- "peers"
		assert.Equal(t, "peers", (<-other).value)
	})
}

// A call that has ended is forgotten: this is no cache.
func TestEveryCallAfterTheEndIsANewOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[int]
		calls := 0
		for i := range 3 {
			value, joined, err := f.Do(t.Context(), func(context.Context) (int, error) { calls++; return calls, nil })
			require.NoError(t, err)
			assert.False(t, joined)
			assert.Equal(t, i+1, value)
		}
	})
}

// The context of a call ends with it, so that whatever hangs on it is let go.
func TestTheContextOfACallEndsWithIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		var inner context.Context
		_, _, err := f.Do(t.Context(), func(ctx context.Context) (string, error) { inner = ctx; return "", nil })
		require.NoError(t, err)
		<-inner.Done()
		require.ErrorIs(t, inner.Err(), context.Canceled)
	})
}

// Callers come and go at random, for the race detector. Whoever gets an answer gets a whole one, and no goroutine is left
// when all have gone: synctest would report it.
func TestComingAndGoingLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		var wg sync.WaitGroup
		for i := range 500 {
			wg.Go(func() {
				time.Sleep(time.Duration(i%17) * time.Millisecond) // the bubble's clock: no time passes
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%23)*time.Millisecond)
				defer cancel()
				value, _, err := f.Do(ctx, func(ctx context.Context) (string, error) {
					select {
					case <-time.After(9 * time.Millisecond):
						return "whole", nil
					case <-ctx.Done():
						return "broken", ctx.Err()
					}
				})
				if err != nil {
					assert.Empty(t, value)
					assert.ErrorIs(t, err, context.DeadlineExceeded)
					return
				}
				assert.Equal(t, "whole", value)
			})
		}
		wg.Wait()
	})
}

// What happens in the goroutine of the call has to happen to those who wait for it.
func TestAPanicReachesEveryWaiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[int]
		release := make(chan struct{})
		caught := make(chan any, 2)
		for range 2 {
			go func() {
				defer func() { caught <- recover() }()
				_, _, _ = f.Do(t.Context(), func(context.Context) (int, error) { <-release; panic("boom") })
			}()
			synctest.Wait()
		}
		close(release)
		assert.Equal(t, "boom", <-caught)
		assert.Equal(t, "boom", <-caught)
		v, joined, err := f.Do(t.Context(), func(context.Context) (int, error) { return 7, nil })
		require.NoError(t, err)
		assert.False(t, joined)
		assert.Equal(t, 7, v)
	})
}

func TestACallThatEndsItsGoroutineIsAnError(t *testing.T) {
	t.Parallel()
	var f flight.Flight[int]
	_, _, err := f.Do(t.Context(), func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
	require.Error(t, err)
}
