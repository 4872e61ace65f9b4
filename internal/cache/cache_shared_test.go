package cache_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/cache"
)

// These tests run in a synctest bubble. synctest.Wait returns when every goroutine in it
// is blocked, so no test sleeps. A goroutine left at the end fails the test as a
// deadlock.

type result struct {
	value  string
	joined bool
	err    error
}

func get(ctx context.Context, v *cache.Value[string], load func(context.Context) (string, error)) <-chan result {
	results := make(chan result, 1)
	go func() {
		value, joined, err := v.Get(ctx, never, load)
		results <- result{value, joined, err}
	}()
	return results
}

// pendingLoad ends when the test sends its value, or when its context ends.
type pendingLoad struct {
	calls, ended atomic.Int32
	finish       chan string
}

func newPendingLoad() *pendingLoad { return &pendingLoad{finish: make(chan string)} }

func (l *pendingLoad) run(ctx context.Context) (string, error) {
	l.calls.Add(1)
	defer l.ended.Add(1)
	select {
	case value := <-l.finish:
		return value, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func TestConcurrentCallersShareOneLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var v cache.Value[string]
		l := newPendingLoad()
		all := make([]<-chan result, 1000)
		for i := range all {
			all[i] = get(t.Context(), &v, l.run)
		}
		synctest.Wait()
		l.finish <- "peers"
		joined := 0
		for _, results := range all {
			got := <-results
			require.NoError(t, got.err)
			require.Equal(t, "peers", got.value)
			if got.joined {
				joined++
			}
		}
		assert.Equal(t, int32(1), l.calls.Load())
		assert.Equal(t, 999, joined, "all but the caller that started the load")
	})
}

func TestConcurrentCallersShareAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var v cache.Value[string]
		finish := make(chan struct{})
		down := errors.New("gateway is down")
		fail := func(context.Context) (string, error) { <-finish; return "part", down }
		one, two := get(t.Context(), &v, fail), get(t.Context(), &v, fail)
		synctest.Wait()
		close(finish)
		for _, results := range []<-chan result{one, two} {
			got := <-results
			assert.Equal(t, down, got.err)
			assert.Equal(t, "part", got.value)
		}
	})
}

func TestCanceledCallerDoesNotCancelASharedLoad(t *testing.T) {
	t.Parallel()
	for _, leaver := range []string{"the caller that started it", "a caller that joined"} {
		t.Run(leaver, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var v cache.Value[string]
				l := newPendingLoad()
				bounded, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				contexts := []context.Context{t.Context(), bounded}
				leaves := 1
				if leaver == "the caller that started it" {
					contexts[0], contexts[1], leaves = bounded, t.Context(), 0
				}
				results := make([]<-chan result, 2)
				for i, ctx := range contexts {
					results[i] = get(ctx, &v, l.run)
					synctest.Wait()
				}

				got := <-results[leaves] // the bubble's clock jumps a second ahead
				require.ErrorIs(t, got.err, context.DeadlineExceeded)
				assert.Empty(t, got.value)
				synctest.Wait()
				assert.Equal(t, int32(0), l.ended.Load(), "the load continues for the other caller")

				l.finish <- "peers"
				got = <-results[1-leaves]
				require.NoError(t, got.err)
				assert.Equal(t, "peers", got.value)
				assert.Equal(t, int32(1), l.calls.Load())
			})
		})
	}
}

func TestLoadWithoutCallersIsCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var v cache.Value[string]
		started, release := make(chan struct{}), make(chan struct{})
		var cause error
		slow := func(ctx context.Context) (string, error) {
			close(started)
			<-ctx.Done()
			cause = ctx.Err()
			<-release // a canceled load may still take its time
			return "stale", nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		one, two := get(ctx, &v, slow), get(ctx, &v, slow)
		<-started
		synctest.Wait()
		cancel()
		require.ErrorIs(t, (<-one).err, context.Canceled)
		require.ErrorIs(t, (<-two).err, context.Canceled)
		synctest.Wait()
		require.ErrorIs(t, cause, context.Canceled)

		l := newPendingLoad()
		first := get(t.Context(), &v, l.run)
		synctest.Wait()
		require.Equal(t, int32(1), l.calls.Load(), "a new caller must not join the canceled load")

		close(release)
		synctest.Wait()
		_, ok := v.Cached(within(time.Hour))
		require.False(t, ok, "the canceled load's result must not be stored")
		second := get(t.Context(), &v, l.run)
		synctest.Wait()
		l.finish <- "fresh"
		assert.Equal(t, result{"fresh", false, nil}, <-first)
		assert.Equal(t, result{"fresh", true, nil}, <-second)
		assert.Equal(t, int32(1), l.calls.Load())
	})
}

func TestEndedContextStartsAndJoinsNoLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var v cache.Value[string]
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		l := newPendingLoad()
		assert.Equal(t, result{"", false, context.Canceled}, <-get(ended, &v, l.run))
		assert.Zero(t, l.calls.Load())

		other := get(t.Context(), &v, l.run)
		synctest.Wait()
		assert.Equal(t, result{"", false, context.Canceled}, <-get(ended, &v, l.run))
		l.finish <- "peers"
		assert.Equal(t, "peers", (<-other).value)
	})
}

type contextKey struct{}

func TestContextOfALoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var v cache.Value[string]
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), contextKey{}, "trace"), time.Minute)
		defer cancel()
		var inner context.Context
		value, _, err := v.Get(ctx, never, func(ctx context.Context) (string, error) {
			inner = ctx
			_, bounded := ctx.Deadline()
			assert.False(t, bounded, "the deadline is one caller's, but the load is for all")
			return ctx.Value(contextKey{}).(string), ctx.Err()
		})
		require.NoError(t, err)
		assert.Equal(t, "trace", value)
		<-inner.Done() // the context ends with the load, to release its resources
		require.ErrorIs(t, inner.Err(), context.Canceled)
	})
}

// Callers arrive, wait and leave at pseudo-random times during invalidations, for the
// race detector.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var v cache.Value[string]
		var all sync.WaitGroup
		for i := range 500 {
			all.Go(func() {
				time.Sleep(time.Duration(i%17) * time.Millisecond)
				if i%29 == 0 {
					v.Invalidate()
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%23)*time.Millisecond)
				defer cancel()
				value, _, err := v.Get(ctx, within(3*time.Millisecond), func(ctx context.Context) (string, error) {
					select {
					case <-time.After(9 * time.Millisecond):
						return "whole", nil
					case <-ctx.Done():
						return "part", ctx.Err()
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
		all.Wait()
	})
}

func TestPanicReachesEveryWaiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var v cache.Value[string]
		release := make(chan struct{})
		recovered := make(chan any, 2)
		for range 2 {
			go func() {
				defer func() { recovered <- recover() }()
				_, _, _ = v.Get(t.Context(), never, func(context.Context) (string, error) { <-release; panic("boom") })
			}()
			synctest.Wait()
		}
		close(release)
		assert.Equal(t, "boom", <-recovered)
		assert.Equal(t, "boom", <-recovered)
		calls := 0
		value, _, err := v.Get(t.Context(), within(time.Hour), returns("peers", &calls))
		require.NoError(t, err)
		assert.Equal(t, "peers", value)
	})
}

func TestLoadThatEndsItsGoroutineIsAnError(t *testing.T) {
	t.Parallel()
	var v cache.Value[string]
	_, _, err := v.Get(t.Context(), never, func(context.Context) (string, error) { runtime.Goexit(); return "", nil })
	require.Error(t, err)
	_, ok := v.Cached(within(time.Hour))
	assert.False(t, ok)
}
