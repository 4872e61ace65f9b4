package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

const (
	// markAttempts is how often a mark fails before it is reported.
	markAttempts = 5
	// maxMarks is the number of marks that wait. It is far more than the unread messages of
	// a poll.
	maxMarks = 20_000
)

// mark is a message to be marked read.
type mark struct {
	message  message
	cause    string // what has happened to the message, for errors
	attempts int    // that failed
	err      error  // in the last attempt
	missed   bool   // the message was not in the inbox
	reported bool
	saved    bool // the answer is in AnswerOptions.Spool
}

func (k mark) error() error {
	return fmt.Errorf("%s, but not marked read after attempt %d: %w", k.cause, k.attempts, k.err)
}

// markRead sends a mark once, in the slot of its worker, so that a slow gateway does not
// receive more marks at a time than there are workers. A mark that fails is queued.
func (s *server) markRead(ctx context.Context, k mark) {
	if !s.try(ctx, &k, false) {
		s.queue(ctx, k)
	}
}

// markOwn queues the marks of messages that the node has sent to itself. Nothing else
// ends them, and they fill the polls: anybody with a token can forge them.
func (s *server) markOwn(ctx context.Context, rows []message) {
	for _, m := range rows {
		if s.client.isOwn(m) && s.begin(m) {
			s.queue(ctx, mark{message: m, cause: "sent by the node itself"})
		}
	}
}

// try sends a mark, with the retry policy or without it. It reports whether the mark is
// finished: the message is read, or cannot be marked, which is reported. A message that
// is not in the inbox is looked for once more, since the response may be a mistake of the
// gateway.
func (s *server) try(ctx context.Context, k *mark, repeat bool) (finished bool) {
	k.err = s.send(ctx, k.message, repeat)
	if k.err != nil {
		k.attempts++
		absent := errors.Is(k.err, errNotInInbox)
		if classify(k.err) != none || absent && !k.missed { // any response but the gateway's 404 may come from something in between, or pass
			k.missed = k.missed || absent
			return false
		}
		if !k.reported {
			s.report(k.message, k.error())
		}
	}
	s.discard(*k)
	s.finish(k.message)
	return true
}

// send marks a message read if it is unread. The requests end with the client.
func (s *server) send(ctx context.Context, m message, repeat bool) error {
	ctx, cancel := s.client.whileOpen(context.WithoutCancel(ctx))
	defer cancel()
	unread, err := s.check.isUnread(ctx, m, repeat)
	if err != nil || !unread {
		return err
	}
	if err = s.client.Mark(ctx, m.ID, !repeat); classify(err) == absent {
		return nil
	}
	return err
}

// queue queues a mark and starts sendQueue if it is not running. A mark without a place
// is given up. One that has not failed yet is not reported: it is for a message of the
// node itself, which the next poll has again.
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

// sendQueue sends the queued marks one after another, again and again, until the queue is
// empty. It pauses after a failure: a gateway in trouble receives one mark per pause,
// however many messages are waiting for theirs. When ctx ends, it goes on until the first
// failure, with the retry policy in place of the pauses.
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
			_ = s.client.Sleep(ctx, RetryPause(err, failures))
		}
		if s.try(ctx, &k, ctx.Err() != nil) {
			failures = 0
			continue
		}
		if !errors.Is(k.err, errNotInInbox) { // else the gateway works
			err, lost = k.err, ctx.Err() != nil
			failures++
		}
		if !k.reported && max(k.attempts, failures) >= markAttempts {
			k.reported = true
			s.report(k.message, k.error())
		}
		s.queue(ctx, k)
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
