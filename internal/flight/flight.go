// Package flight lets everybody who asks for the same thing at the same time wait for one call.
//
// It differs from golang.org/x/sync/singleflight in the one thing the facades need: the call belongs to nobody. A waiter
// whose context ends leaves alone, the others get their answer, and only when the last one has left is the call
// cancelled, so that no goroutine outlives its callers by more than the call needs to notice.
package flight

import (
	"context"
	"errors"
	"sync"
)

// Flight is at most one call under way. The zero value is ready to use; it is safe for concurrent use.
type Flight[T any] struct {
	mu  sync.Mutex
	now *call[T]
}

type call[T any] struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int
	value   T
	err     error
	// panicked is what fn panicked with; every waiter panics with it, as if it had called fn itself.
	panicked any
}

// errGone is a call that ended its goroutine instead of returning.
var errGone = errors.New("the call did not return")

// Do waits for the call that is under way, or starts fn when there is none; joined tells which. fn gets a context with
// the values of the ctx that started it, which ends when nobody waits any more. When ctx ends first, Do returns its error.
func (f *Flight[T]) Do(ctx context.Context, fn func(context.Context) (T, error)) (value T, joined bool, err error) {
	if err := ctx.Err(); err != nil {
		return value, false, err
	}
	c, joined := f.board(ctx, fn)
	defer f.leave(c)
	select {
	case <-c.done:
		if c.panicked != nil {
			panic(c.panicked)
		}
		return c.value, joined, c.err
	case <-ctx.Done():
		return value, joined, ctx.Err()
	}
}

func (f *Flight[T]) board(ctx context.Context, fn func(context.Context) (T, error)) (c *call[T], joined bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now != nil {
		f.now.waiting++
		return f.now, true
	}
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx)) //nolint:gosec // leave and fly both call it
	c = &call[T]{done: make(chan struct{}), cancel: cancel, waiting: 1}
	f.now = c
	go f.fly(detached, c, fn)
	return c, false
}

func (f *Flight[T]) fly(ctx context.Context, c *call[T], fn func(context.Context) (T, error)) {
	returned := false
	defer func() {
		if !returned {
			c.panicked, c.err = recover(), errGone
		}
		c.cancel()
		f.land(c)
	}()
	c.value, c.err = fn(ctx)
	returned = true
}

// land makes room for the next call and lets the waiters go.
func (f *Flight[T]) land(c *call[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == c {
		f.now = nil
	}
	close(c.done)
}

// leave cancels the call after its last waiter, and takes it out of the way: whoever comes next must not join a call
// that is being cancelled.
func (f *Flight[T]) leave(c *call[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.waiting--
	if c.waiting > 0 {
		return
	}
	c.cancel()
	if f.now == c {
		f.now = nil
	}
}
