package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

const (
	// markAttempts is the number of failures after which a mark is reported.
	markAttempts = 5
	// maxMarks bounds the queue. A poll returns far fewer messages.
	maxMarks = 20_000
)

// mark is a message to be marked read.
type mark struct {
	message  message
	cause    string // why the message is marked, for errors
	attempts int    // that failed
	err      error  // in the last attempt
	missed   bool   // the message was not in the inbox
	reported bool
	saved    bool // the answer is in AnswerOptions.Spool
}

// marks sends marks until they succeed. Failed ones wait in a queue.
type marks struct {
	client *node
	check  *unreadCheck
	report func(message, error)
	end    func(k mark, read bool) // no further attempt is made

	queues sync.WaitGroup // 1 while run sends what is waiting
	mu     sync.Mutex
	// guarded by mu
	waiting []mark
	running bool
}

// send tries a mark once and queues it if that fails. The caller still holds its worker's
// slot, so a slow gateway receives at most one mark per worker at a time.
func (q *marks) send(ctx context.Context, k mark) {
	if !q.try(ctx, &k, false) {
		q.queue(ctx, k)
	}
}

// try sends a mark, with the retry policy if repeat is set. It reports whether the mark
// is finished: the message is read, or can't be marked. If the message is missing from
// the inbox, the mark stays unfinished once, in case the gateway made a mistake.
func (q *marks) try(ctx context.Context, k *mark, repeat bool) (finished bool) {
	if k.err = q.mark(ctx, k.message, repeat); k.err != nil {
		k.attempts++
		absent := errors.Is(k.err, errNotInInbox)
		if classify(k.err) != none || absent && !k.missed { // any response but the gateway's 404 may come from something in between, or pass
			k.missed = k.missed || absent
			return false
		}
	}
	q.finish(k, true)
	return true
}

func (q *marks) finish(k *mark, read bool) {
	q.end(*k, read)
	if k.err != nil {
		q.tell(k)
	}
}

func (q *marks) tell(k *mark) {
	if !k.reported {
		k.reported = true
		q.report(k.message, fmt.Errorf("%s, but not marked read after attempt %d: %w", k.cause, k.attempts, k.err))
	}
}

// mark marks a message read if it is unread. Only closing the client cancels it, not ctx.
func (q *marks) mark(ctx context.Context, m message, repeat bool) error {
	ctx, cancel := q.client.WhileOpen(context.WithoutCancel(ctx))
	defer cancel()
	unread, err := q.check.isUnread(ctx, m, repeat)
	if err != nil || !unread {
		return err
	}
	if err = q.client.Mark(ctx, m.ID, !repeat); classify(err) == absent {
		return nil
	}
	return err
}

// queue gives a mark up if the queue is full. It doesn't report one that has not failed
// yet: that mark is for the node's own message, which the next poll returns again.
func (q *marks) queue(ctx context.Context, k mark) {
	k.message.Content, k.message.AdditionalProperties = nil, nil // many messages may be waiting
	q.mu.Lock()
	full := len(q.waiting) == maxMarks
	if !full {
		q.waiting = append(q.waiting, k)
	}
	if !q.running {
		q.running = true
		q.queues.Go(func() { q.run(ctx) })
	}
	q.mu.Unlock()
	if !full {
		return
	}
	if k.err != nil {
		k.err = fmt.Errorf("%w; too many other marks are waiting", k.err)
	}
	q.finish(&k, false)
}

// run sends the queued marks one by one until the queue is empty. It pauses after each
// failure, so a gateway in trouble receives one mark per pause, however many are waiting.
// After ctx has ended, it continues until the first failure, with the retry policy.
func (q *marks) run(ctx context.Context) {
	var err error
	failures := 1 // in a row; the mark that starts the queue has failed
	lost := false // one failed after ctx ended, so the others are not tried
	for k, ok := q.next(); ok; k, ok = q.next() {
		if lost || ctx.Err() != nil && k.attempts == 0 {
			q.finish(&k, false) // forged messages must not delay the end; the next Serve marks them
			continue
		}
		if failures > 0 {
			_ = q.client.Sleep(ctx, RetryPause(err, failures))
		}
		if q.try(ctx, &k, ctx.Err() != nil) {
			failures = 0
			continue
		}
		if !errors.Is(k.err, errNotInInbox) { // else the gateway works
			err, lost = k.err, ctx.Err() != nil
			failures++
		}
		if max(k.attempts, failures) >= markAttempts {
			q.tell(&k)
		}
		q.queue(ctx, k)
	}
}

func (q *marks) next() (k mark, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running = len(q.waiting) > 0; !q.running {
		return k, false
	}
	k, q.waiting = q.waiting[0], q.waiting[1:]
	return k, true
}
