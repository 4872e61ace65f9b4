package agent

import (
	"context"
	"sync"
	"time"
)

// reach tracks whether the gateway is reachable. While it isn't, we start no handler,
// because the reply would be lost.
type reach struct {
	mu      sync.Mutex
	now     polls
	back    chan struct{} // closed by the next successful poll; nil while the gateway can be reached
	err     error         // in the last failure
	poll    func(context.Context) error
	polling sync.Mutex // held by the goroutine that polls for all
}

// polls counts polls. A copy records the counts at one moment, such as the start of an
// attempt.
type polls struct{ successes, failures int }

func (r *reach) polls() polls {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *reach) isAway() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.back != nil
}

// polled counts a poll. Pass nil unless the poll failed to reach the gateway.
func (r *reach) polled(unreachable error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if unreachable != nil {
		r.now.failures++
		r.lose(unreachable)
		return
	}
	r.now.successes++
	if r.back != nil {
		close(r.back)
		r.back = nil
	}
}

// suspect makes the next handler wait for a successful poll.
func (r *reach) suspect(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lose(err)
}

func (r *reach) lose(err error) {
	r.err = err
	if r.back == nil {
		r.back = make(chan struct{})
	}
}

// await returns once the gateway is reachable, or false if ctx ends first. Watch may
// itself be waiting for a slot, so one of the waiting goroutines does the polling.
func (r *reach) await(ctx context.Context) bool {
	for attempt := 1; ctx.Err() == nil; attempt++ {
		r.mu.Lock()
		back, err := r.back, r.err
		r.mu.Unlock()
		if back == nil {
			return true
		}
		select {
		case <-back:
		case <-ctx.Done():
		case <-time.After(RetryPause(err, attempt)):
			if !r.polling.TryLock() { // another goroutine polls
				continue
			}
			err := r.poll(ctx)
			if !classify(err).unreached() {
				err = nil
			}
			if ctx.Err() == nil {
				r.polled(err)
			}
			r.polling.Unlock()
		}
	}
	return false
}

// isOutage reports whether an outage made an attempt fail. Call it after await. There was
// an outage if a poll failed since the attempt ended, or if all polls during it failed.
func (r *reach) isOutage(began, ended polls) bool {
	return r.polls().failures > ended.failures || ended.successes == began.successes && ended.failures > began.failures
}
