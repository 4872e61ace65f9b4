// Package cache keeps one value that is expensive to load and shares each load among all callers that need it at the
// same time.
//
//	var peers cache.Value[[]string]
//	fresh := func(_ []string, loadedAt time.Time) bool { return time.Since(loadedAt) < time.Minute }
//	names, _, err := peers.Get(ctx, fresh, load)
//
// A [Map] has such a value for each key.
//
// # Freshness
//
// Every call decides for itself whether the cached value is fresh enough, so that a time to live can differ from call to
// call, a forced refresh is a function that returns false, and a value that records a failure can expire sooner.
// A load that returns an error caches nothing.
//
// # Shared loads
//
// Callers that find no fresh value wait for the load in progress, or start one. A load belongs to no single caller: when a
// caller's context ends, only that caller returns. The context of the load is canceled when its last waiter has left. This
// is the difference from golang.org/x/sync/singleflight. A panic in the load function is repeated in every waiter. A load function
// that calls Get with its own context would wait for itself: it gets [ErrReentered].
//
// # Races
//
// Two races have to be closed, and one mutex closes both.
//
// Between a caller's look at the cached value and its decision to start a load, another load may have ended. Get therefore
// looks again under the mutex that is held while a load stores its value.
//
// While a load is in progress, the value may be invalidated or the last waiter may leave. Either detaches the load: callers
// that come later do not join it, and its result is not stored, however late it ends. Callers that were waiting
// when the value was invalidated still receive the result, because they called before the invalidation.
//
// # Concurrency
//
// A Value is safe for concurrent use. Get takes no lock when the cached value is fresh.
package cache

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Value is one cached value of type T. The zero Value is empty and ready to use. A Value must not be copied.
type Value[T any] struct {
	cached atomic.Pointer[entry[T]]

	// mu guards current, and every write of cached.
	mu      sync.Mutex
	current *load[T]
}

type entry[T any] struct {
	value    T
	loadedAt time.Time
}

// Get returns the cached value if fresh accepts it, and otherwise the result of a load: the one in progress, or a new one
// that calls fn. joined reports whether the load was in progress before Get was called, so that its result may be older
// than the call.
//
// fresh is called with the cached value and the time when its load ended; it must be quick and must not use v. fn receives
// the values of ctx, but not its deadline or cancellation. If ctx ends first, Get returns ctx.Err().
func (v *Value[T]) Get(
	ctx context.Context, fresh func(value T, loadedAt time.Time) bool, fn func(context.Context) (T, error),
) (value T, joined bool, err error) {
	if value, ok := v.Cached(fresh); ok {
		return value, false, nil
	}
	if err := ctx.Err(); err != nil {
		return value, false, err
	}
	v.mu.Lock()
	if value, ok := v.Cached(fresh); ok && v.current == nil {
		v.mu.Unlock()
		return value, false, nil
	}
	l := v.current
	joined = l != nil
	switch {
	case !joined:
		l = v.start(ctx, fn)
	case ctx.Value(v) == l:
		v.mu.Unlock()
		return value, false, ErrReentered
	}
	l.waiters++
	v.mu.Unlock()
	value, err = v.wait(ctx, l)
	return value, joined, err
}

// ErrReentered is the error of a Get within the load that it would wait for.
var ErrReentered = errors.New("this call is made by a function that the same request is waiting for")

// Cached returns the cached value if fresh accepts it. It never loads and takes no lock. Calling it before Get saves the
// allocation of a function literal for fn.
func (v *Value[T]) Cached(fresh func(value T, loadedAt time.Time) bool) (value T, ok bool) {
	if e := v.cached.Load(); e != nil && fresh(e.value, e.loadedAt) {
		return e.value, true
	}
	return value, false
}

// Put stores a value that was loaded at loadedAt, unless the cached value is newer. A load in progress goes on, and its result
// takes the place of value.
func (v *Value[T]) Put(value T, loadedAt time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e := v.cached.Load(); e == nil || !e.loadedAt.After(loadedAt) {
		v.cached.Store(&entry[T]{value: value, loadedAt: loadedAt})
	}
}

// Invalidate removes the cached value and detaches the load in progress, so that the next Get starts a new load.
func (v *Value[T]) Invalidate() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.cached.Store(nil)
	v.current = nil
}

// errNotReturned is the result of a load function that ended its goroutine with runtime.Goexit.
var errNotReturned = errors.New("the load function did not return")

// load is one call of a load function.
type load[T any] struct {
	done     chan struct{}
	cancel   context.CancelFunc
	waiters  int // guarded by Value.mu
	value    T
	err      error
	panicked any
}

// start starts a load. The caller holds mu.
func (v *Value[T]) start(ctx context.Context, fn func(context.Context) (T, error)) *load[T] {
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx)) //nolint:gosec // leave and run both call it
	l := &load[T]{done: make(chan struct{}), cancel: cancel}
	v.current = l
	go v.run(context.WithValue(detached, v, l), l, fn)
	return l
}

// run calls fn and delivers its result to the waiters.
func (v *Value[T]) run(ctx context.Context, l *load[T], fn func(context.Context) (T, error)) {
	returned := false
	defer func() {
		if !returned {
			l.panicked, l.err = recover(), errNotReturned
		}
		l.cancel()
		v.finish(l)
	}()
	l.value, l.err = fn(ctx)
	returned = true
}

// finish stores the result of l, unless l was detached or failed, and releases its waiters.
func (v *Value[T]) finish(l *load[T]) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.current == l {
		v.current = nil
		if l.err == nil {
			v.cached.Store(&entry[T]{value: l.value, loadedAt: time.Now()})
		}
	}
	close(l.done)
}

// wait returns the result of l, or the error of ctx when ctx ends first.
func (v *Value[T]) wait(ctx context.Context, l *load[T]) (value T, err error) {
	defer v.leave(l)
	select {
	case <-l.done:
		if l.panicked != nil {
			panic(l.panicked)
		}
		return l.value, l.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// leave removes a waiter from l. After the last one, l is canceled and detached: a later caller must not join a load that
// is being canceled.
func (v *Value[T]) leave(l *load[T]) {
	v.mu.Lock()
	defer v.mu.Unlock()
	l.waiters--
	if l.waiters > 0 {
		return
	}
	l.cancel()
	if v.current == l {
		v.current = nil
	}
}
