package cache_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/cache"
)

func never(string, time.Time) bool { return false }

// within accepts values loaded less than ttl ago.
func within(ttl time.Duration) func(string, time.Time) bool {
	return func(_ string, loadedAt time.Time) bool { return time.Since(loadedAt) < ttl }
}

// returns is a load that returns value and counts its calls.
func returns(value string, calls *int) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { *calls++; return value, nil }
}

func TestGetLoadsOncePerTTL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var v cache.Value[string]
		calls := 0
		for _, step := range []struct {
			pause, ttl time.Duration
			calls      int
		}{
			{0, time.Minute, 1},
			{59 * time.Second, time.Minute, 1},
			{0, 10 * time.Second, 2}, // the TTL is the call's
			{59 * time.Second, time.Minute, 2},
			{time.Second, time.Minute, 3},
			{0, 0, 4},
		} {
			time.Sleep(step.pause)
			value, joined, err := v.Get(t.Context(), within(step.ttl), returns("peers", &calls))
			require.NoError(t, err)
			assert.False(t, joined)
			assert.Equal(t, "peers", value)
			assert.Equal(t, step.calls, calls)
		}
	})
}

func TestFreshDecidesOnTheValue(t *testing.T) {
	t.Parallel()
	var v cache.Value[string]
	calls := 0
	_, _, err := v.Get(t.Context(), never, returns("old", &calls))
	require.NoError(t, err)
	value, _, err := v.Get(t.Context(), func(value string, _ time.Time) bool { return value == "old" }, returns("new", &calls))
	require.NoError(t, err)
	assert.Equal(t, "old", value)
	value, _, err = v.Get(t.Context(), func(value string, _ time.Time) bool { return value == "new" }, returns("new", &calls))
	require.NoError(t, err)
	assert.Equal(t, "new", value)
	assert.Equal(t, 2, calls)
}

func TestPutKeepsTheNewerValue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var v cache.Value[string]
		calls := 0
		now := time.Now()
		get := func() string {
			value, _, err := v.Get(t.Context(), within(time.Hour), returns("loaded", &calls))
			require.NoError(t, err)
			return value
		}
		v.Put("yesterday's", now.Add(-24*time.Hour))
		assert.Equal(t, "loaded", get(), "an old value must be loaded again")
		v.Put("older", now.Add(-time.Minute))
		assert.Equal(t, "loaded", get())
		time.Sleep(30 * time.Minute)
		v.Put("newer", now.Add(time.Minute))
		assert.Equal(t, "newer", get())
		time.Sleep(31 * time.Minute)
		assert.Equal(t, "loaded", get(), "a value's age counts from its load, not from Put")
		assert.Equal(t, 2, calls)
	})
}

func TestLoadInProgressReplacesAPutValue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var v cache.Value[string]
		release := make(chan struct{})
		go func() {
			_, _, _ = v.Get(t.Context(), never, func(context.Context) (string, error) { <-release; return "loaded", nil })
		}()
		synctest.Wait()
		v.Put("put", time.Now())
		close(release)
		synctest.Wait()
		value, ok := v.Cached(within(time.Hour))
		assert.True(t, ok)
		assert.Equal(t, "loaded", value)
	})
}

func TestCachedNeverLoads(t *testing.T) {
	t.Parallel()
	var v cache.Value[string]
	_, ok := v.Cached(within(time.Hour))
	assert.False(t, ok)
	calls := 0
	_, _, err := v.Get(t.Context(), never, returns("peers", &calls))
	require.NoError(t, err)
	value, ok := v.Cached(within(time.Hour))
	assert.True(t, ok)
	assert.Equal(t, "peers", value)
	value, ok = v.Cached(never)
	assert.False(t, ok)
	assert.Empty(t, value)
}

func TestCachedValueIsReturnedAfterTheContextHasEnded(t *testing.T) {
	t.Parallel()
	var v cache.Value[string]
	calls := 0
	_, _, err := v.Get(t.Context(), never, returns("peers", &calls))
	require.NoError(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	value, _, err := v.Get(ended, within(time.Hour), returns("other", &calls))
	require.NoError(t, err)
	assert.Equal(t, "peers", value)
}

func TestErrorIsNotCachedAndKeepsTheOldValue(t *testing.T) {
	t.Parallel()
	var v cache.Value[string]
	down := errors.New("gateway is down")
	calls := 0
	_, _, err := v.Get(t.Context(), never, returns("peers", &calls))
	require.NoError(t, err)
	_, _, err = v.Get(t.Context(), never, func(context.Context) (string, error) { return "part", down })
	require.ErrorIs(t, err, down)
	value, ok := v.Cached(within(time.Hour))
	assert.True(t, ok)
	assert.Equal(t, "peers", value)
}

func TestInvalidateRemovesTheValue(t *testing.T) {
	t.Parallel()
	var v cache.Value[string]
	calls := 0
	for range 2 {
		_, _, err := v.Get(t.Context(), within(time.Hour), returns("peers", &calls))
		require.NoError(t, err)
		v.Invalidate()
	}
	assert.Equal(t, 2, calls)
}

func TestInvalidateDetachesTheLoadInProgress(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"the old load ends first", "the new load ends first"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var v cache.Value[string]
				before, after := newPendingLoad(), newPendingLoad()
				old := get(t.Context(), &v, before.run)
				synctest.Wait()
				v.Invalidate()
				late := get(t.Context(), &v, after.run)
				synctest.Wait()
				require.Equal(t, int32(1), after.calls.Load(), "a later caller must not join the old load")

				if order == "the old load ends first" {
					before.finish <- "old"
					assert.Equal(t, result{"old", false, nil}, <-old, "it was waiting before the invalidation")
					_, ok := v.Cached(within(time.Hour))
					assert.False(t, ok, "the old result must not be stored")
					after.finish <- "new"
					assert.Equal(t, result{"new", false, nil}, <-late)
				} else {
					after.finish <- "new"
					assert.Equal(t, result{"new", false, nil}, <-late)
					before.finish <- "old"
					assert.Equal(t, result{"old", false, nil}, <-old)
				}
				value, ok := v.Cached(within(time.Hour))
				assert.True(t, ok)
				assert.Equal(t, "new", value)
			})
		})
	}
}

func TestCachedValueIsReturnedWithoutAllocation(t *testing.T) {
	var v cache.Value[string]
	load := func(context.Context) (string, error) { return "peers", nil }
	_, _, err := v.Get(t.Context(), never, load)
	require.NoError(t, err)
	ttl := time.Hour
	allocs := testing.AllocsPerRun(100, func() {
		_, _, _ = v.Get(t.Context(), func(_ string, loadedAt time.Time) bool { return time.Since(loadedAt) < ttl }, load)
	})
	assert.Zero(t, allocs)
}

// A load that waits for itself would wait forever.
func TestGetWithinItsOwnLoadFails(t *testing.T) {
	t.Parallel()
	var outer, inner cache.Value[string]
	var kept context.Context
	value, _, err := outer.Get(t.Context(), never, func(ctx context.Context) (string, error) {
		kept = ctx
		other, _, err := inner.Get(ctx, never, func(ctx context.Context) (string, error) {
			_, _, err := outer.Get(ctx, never, func(context.Context) (string, error) { return "unused", nil })
			require.ErrorIs(t, err, cache.ErrReentered, "also through another value")
			return "inner", nil
		})
		return "outer around " + other, err
	})
	require.NoError(t, err)
	assert.Equal(t, "outer around inner", value)
	_, _, err = outer.Get(context.WithoutCancel(kept), never, func(context.Context) (string, error) { return "later", nil })
	require.NoError(t, err, "the load has ended")
}
