package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
)

// markAttempts is how often a mark is sent before it is queued.
const markAttempts = 5

// mark is the mark of a handled message. database is the number of the database that the message is in.
type mark struct{ id, database int64 }

// markRead marks a handled message. It repeats a mark that fails until the gateway answers, and once more when ctx ends during
// a pause. After markAttempts attempts it queues the mark.
func (s *server) markRead(ctx context.Context, m MeshMessage, database int64) {
	next := mark{m.ID, database}
	for attempt := 1; ; attempt++ {
		err := s.send(ctx, next)
		if err == nil {
			return
		}
		last := ctx.Err() != nil || !mayWorkLater(err)
		if last || attempt == markAttempts {
			s.report(m, fmt.Errorf("handled, but not marked read after attempt %d: %w", attempt, err))
		}
		if last {
			return
		}
		if attempt == markAttempts {
			s.queue(ctx, next)
			return
		}
		_ = s.client.sleep(ctx, servePauseAfter(err, attempt)) // the last attempt follows the end of ctx
	}
}

// send sends a mark. It returns nil if the message is marked already. A message of an earlier database is not marked: its id may
// belong to another message now.
func (s *server) send(ctx context.Context, m mark) error {
	if s.database.Load() != m.database {
		return nil
	}
	err := s.client.MarkRead(context.WithoutCancel(ctx), m.id)
	if isMarked(err) {
		return nil
	}
	return err
}

// isMarked reports whether err is the gateway's 404 for a message that is marked already.
func isMarked(err error) bool {
	return hasStatus(err, http.StatusNotFound) && !errors.Is(err, errNoSuchPath)
}

// mayWorkLater reports whether a mark is repeated after err.
func mayWorkLater(err error) bool { return isOutage(err) || hasStatus(err, http.StatusNotFound) }

// queue queues a mark and starts sendQueue if it is not running.
func (s *server) queue(ctx context.Context, m mark) {
	if s.marks.add(m) {
		s.running.Go(func() { s.sendQueue(ctx) })
	}
}

// sendQueue sends the queued marks one after another, again and again, until the queue is empty. It pauses after a failure: a
// gateway in trouble receives one request per pause, however many messages are waiting for their marks. When ctx ends,
// it goes on until the first failure.
func (s *server) sendQueue(ctx context.Context) {
	var err error
	failures := markAttempts
	for m, ok := s.marks.next(); ok; m, ok = s.marks.next() {
		if failures > 0 {
			_ = s.client.sleep(ctx, servePauseAfter(err, failures))
		}
		if err = s.send(ctx, m); err == nil {
			failures = 0
			continue
		}
		if ctx.Err() != nil {
			return
		}
		failures++
		if mayWorkLater(err) {
			s.marks.add(m)
		}
	}
}

// markQueue holds the marks that sendQueue sends. It keeps no contents, since many messages may be waiting.
type markQueue struct {
	mu      sync.Mutex
	waiting []mark
	active  bool // between the first add and the next that finds no mark
}

// add reports whether the queue was not active.
func (q *markQueue) add(m mark) (first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, m)
	first, q.active = !q.active, true
	return first
}

func (q *markQueue) next() (m mark, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.active = false
		return mark{}, false
	}
	m, q.waiting = q.waiting[0], q.waiting[1:]
	return m, true
}
