package flight_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/flight"
)

// Every test runs in a bubble of synctest: Wait returns when every goroutine of it is blocked, so "everybody waits" needs
// no sleep, and a goroutine that is left over at the end is a deadlock that fails the test.

// answer is what one Do came back with.
type answer struct {
	value  string
	joined bool
	err    error
}

// board starts one Do and returns where its answer will be.
func board(ctx context.Context, f *flight.Flight[string], fn func(context.Context) (string, error)) <-chan answer {
	answers := make(chan answer, 1)
	go func() {
		value, joined, err := f.Do(ctx, fn)
		answers <- answer{value, joined, err}
	}()
	return answers
}

// landing is a call that ends when the test says so, or its context.
type landing struct {
	calls, ended atomic.Int32
	land         chan string
}

func newLanding() *landing { return &landing{land: make(chan string)} }

func (l *landing) fly(ctx context.Context) (string, error) {
	l.calls.Add(1)
	defer l.ended.Add(1)
	select {
	case value := <-l.land:
		return value, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func TestAThousandCallersShareOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		l := newLanding()
		all := make([]<-chan answer, 1000)
		for i := range all {
			all[i] = board(t.Context(), &f, l.fly)
		}
		synctest.Wait()
		l.land <- "peers"
		joined := 0
		for _, answers := range all {
			got := <-answers
			require.NoError(t, got.err)
			require.Equal(t, "peers", got.value)
			if got.joined {
				joined++
			}
		}
		assert.Equal(t, int32(1), l.calls.Load())
		assert.Equal(t, 999, joined, "all but the one that started it")
	})
}

func TestAnErrorIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		land := make(chan struct{})
		down := errors.New("gateway is down")
		fail := func(context.Context) (string, error) { <-land; return "half", down }
		one, two := board(t.Context(), &f, fail), board(t.Context(), &f, fail)
		synctest.Wait()
		close(land)
		for _, answers := range []<-chan answer{one, two} {
			got := <-answers
			assert.Equal(t, down, got.err)
			assert.Equal(t, "half", got.value, "what came with the error is passed on")
		}
	})
}

func TestAnImpatientCallerLeavesAlone(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"the one that started it", "one that joined"} {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var f flight.Flight[string]
				l := newLanding()
				hasty, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				first, second := t.Context(), hasty
				if who == "the one that started it" {
					first, second = second, first
				}
				one := board(first, &f, l.fly)
				synctest.Wait()
				two := board(second, &f, l.fly)
				leaves, stays := one, two
				if second == hasty {
					leaves, stays = two, one
				}

				got := <-leaves // the bubble's clock jumps to the end of the second
				require.ErrorIs(t, got.err, context.DeadlineExceeded)
				assert.Empty(t, got.value)
				synctest.Wait()
				assert.Equal(t, int32(0), l.ended.Load(), "the call goes on for the other one")

				l.land <- "peers"
				got = <-stays
				require.NoError(t, got.err)
				assert.Equal(t, "peers", got.value)
				assert.Equal(t, int32(1), l.calls.Load())
			})
		})
	}
}

func TestTheLastToLeaveCancelsTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		started, release := make(chan struct{}), make(chan struct{})
		var cause error
		stubborn := func(ctx context.Context) (string, error) {
			close(started)
			<-ctx.Done()
			cause = ctx.Err()
			<-release // the cancelled call takes its time, as a real one may
			return "stale", nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		one, two := board(ctx, &f, stubborn), board(ctx, &f, stubborn)
		<-started
		synctest.Wait()
		cancel()
		require.ErrorIs(t, (<-one).err, context.Canceled)
		require.ErrorIs(t, (<-two).err, context.Canceled)
		synctest.Wait()
		require.ErrorIs(t, cause, context.Canceled)

		// The old call is still there. A newcomer must not be given to it.
		l := newLanding()
		fresh := board(t.Context(), &f, l.fly)
		synctest.Wait()
		require.Equal(t, int32(1), l.calls.Load())

		// When the old one ends at last, it must not take the new one away with it.
		close(release)
		synctest.Wait()
		late := board(t.Context(), &f, l.fly)
		synctest.Wait()
		l.land <- "fresh"
		assert.Equal(t, answer{"fresh", false, nil}, <-fresh)
		assert.Equal(t, answer{"fresh", true, nil}, <-late)
		assert.Equal(t, int32(1), l.calls.Load())
	})
}
