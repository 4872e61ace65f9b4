package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// queue queues a mark and starts sendQueue if it is not running. A mark without a place is given up. One that has not failed yet is
// not reported: it is for a message of the node itself, which the next poll has again.
func (s *server) queue(ctx context.Context, k mark) {
	k.message.Content, k.message.AdditionalProperties = nil, nil // many messages may be waiting
	first, full := s.marks.add(k)
	if first {
		s.running.Go(func() { s.sendQueue(ctx) })
	}
	if full {
		k.err = fmt.Errorf("%w; too many other marks are waiting", k.err)
		s.drop(k)
	}
}

// drop gives a mark up. It is reported unless it was before, or has not failed.
func (s *server) drop(k mark) {
	s.finish(k.message)
	if k.attempts > 0 && !k.reported {
		s.report(k.message, k.error())
	}
}

// sendQueue sends the queued marks one after another, again and again, until the queue is empty. It pauses after a failure: a
// gateway in trouble receives one mark per pause, however many messages are waiting for theirs. When ctx ends, it goes on
// until the first failure, with the retry policy in place of the pauses.
func (s *server) sendQueue(ctx context.Context) {
	var err error
	failures := 1 // in a row; the mark that starts the queue has failed
	lost := false // the others are lost, since one has failed after the end of ctx
	for k, ok := s.marks.next(); ok; k, ok = s.marks.next() {
		if lost || ctx.Err() != nil && k.attempts == 0 {
			s.drop(k) // forged messages must not delay the end; the next Serve marks them
			continue
		}
		if failures > 0 {
			_ = s.client.sleep(ctx, RetryPause(err, failures))
		}
		if s.try(ctx, &k, ctx.Err() != nil) {
			failures = 0
			continue
		}
		s.queue(ctx, k)
		if errors.Is(k.err, errNotInInbox) {
			continue // the gateway works
		}
		err, lost = k.err, ctx.Err() != nil
		failures++
		for _, k := range s.marks.overdue(failures >= markAttempts) {
			s.report(k.message, k.error())
		}
	}
}

// markQueue holds the marks that sendQueue sends.
type markQueue struct {
	mu      sync.Mutex
	waiting []mark
	active  bool // between the first add and the next that finds no mark
}

// add adds a mark unless the queue is full. It reports whether the queue was not active.
func (q *markQueue) add(k mark) (first, full bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == maxMarks {
		return false, true
	}
	q.waiting = append(q.waiting, k)
	first, q.active = !q.active, true
	return first, false
}

func (q *markQueue) next() (k mark, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.active = false
		return mark{}, false
	}
	k, q.waiting = q.waiting[0], q.waiting[1:]
	return k, true
}

// overdue returns the marks to report: those that have failed often, or all that have failed. It returns each mark once.
func (q *markQueue) overdue(all bool) []mark {
	q.mu.Lock()
	defer q.mu.Unlock()
	var marks []mark
	for i := range q.waiting {
		if k := &q.waiting[i]; !k.reported && k.attempts > 0 && (all || k.attempts >= markAttempts) {
			k.reported = true
			marks = append(marks, *k)
		}
	}
	return marks
}
