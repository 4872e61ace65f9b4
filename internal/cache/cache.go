// Package cache keeps one value that is expensive to load. Callers that need it at the
// same time share a load.
//
//	var peers cache.Value[[]string]
//	fresh := func(_ []string, loadedAt time.Time) bool { return time.Since(loadedAt) < time.Minute }
//	names, _, err := peers.Get(ctx, fresh, load)
//
// A [Map] has a value for each key.
//
// # Freshness
//
// Each call decides whether the cached value is fresh enough. So a time to live can
// differ between calls, a forced refresh is a function that returns false, and a recorded
// failure can expire sooner. If a load fails, nothing is cached.
//
// # Shared loads
//
// If there is no fresh value, Get joins the load in progress or starts one. Unlike in
// golang.org/x/sync/singleflight, a load doesn't belong to its first caller: if a
// caller's context ends, only that caller returns, and the load's context is canceled
// once its last waiter has left. If the load function panics, every waiter panics. If it
// calls Get with its own context, it would wait for itself, so it gets [ErrReentered].
//
// # Races
//
// One mutex closes two races:
//
//   - A load may end after Get has looked at the cached value and before it starts a
//     load. So Get looks again, holding the mutex that a load holds to store its value.
//   - During a load, the value may be invalidated or the last waiter may leave. Either
//     detaches the load: later callers don't join it, and its result isn't stored.
//     Callers that were already waiting still receive it, because they called before the
//     invalidation.
//
// # Concurrency
//
// A Value may be used concurrently. If the cached value is fresh, Get takes no lock.
package cache

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Value is a cached value of type T. The zero Value is empty and ready to use. A Value
// must not be copied.
type Value[T any] struct {
	cached atomic.Pointer[entry[T]]

	// guards current and writes to cached
	mu      sync.Mutex
	current *load[T]
}

type entry[T any] struct {
	value    T
	loadedAt time.Time
}

// Get returns the cached value if fresh accepts it. Otherwise it waits for the load in
// progress, or loads the value with fn. joined reports that the load was already in
// progress, so that its result may be older than the call.
//
// fresh gets the cached value and the time its load ended. It must be quick and must not
// use v. fn's context has ctx's values, but not its deadline or cancellation. If ctx ends
// first, Get returns ctx.Err().
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

// ErrReentered is returned if a load function calls Get and would wait for itself.
var ErrReentered = errors.New("would deadlock: the request waits for the function that makes this call")

// Cached returns the cached value if fresh accepts it. It never loads and takes no lock.
// Call it before Get to save the allocation of a function literal for fn.
func (v *Value[T]) Cached(fresh func(value T, loadedAt time.Time) bool) (value T, ok bool) {
	if e := v.cached.Load(); e != nil && fresh(e.value, e.loadedAt) {
		return e.value, true
	}
	return value, false
}

// Put stores a value that was loaded at loadedAt, unless the cached value is newer. A
// load in progress continues and then replaces it.
func (v *Value[T]) Put(value T, loadedAt time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e := v.cached.Load(); e == nil || !e.loadedAt.After(loadedAt) {
		v.cached.Store(&entry[T]{value: value, loadedAt: loadedAt})
	}
}

// Invalidate removes the cached value and detaches the load in progress. The next Get
// starts a new load.
func (v *Value[T]) Invalidate() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.cached.Store(nil)
	v.current = nil
}

// errNotReturned reports that the load function called runtime.Goexit.
var errNotReturned = errors.New("the load function did not return")

type load[T any] struct {
	done     chan struct{}
	cancel   context.CancelFunc
	waiters  int // guarded by Value.mu
	value    T
	err      error
	panicked any
}

// start starts a load. The caller must hold mu.
func (v *Value[T]) start(ctx context.Context, fn func(context.Context) (T, error)) *load[T] {
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx)) //nolint:gosec // leave and run both call it
	l := &load[T]{done: make(chan struct{}), cancel: cancel}
	v.current = l
	go v.run(context.WithValue(detached, v, l), l, fn)
	return l
}

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

// finish stores l's result, unless l failed or was detached, and wakes its waiters.
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

// leave removes a waiter. The last one cancels and detaches l, because a later caller
// must not join a load that is being canceled.
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
