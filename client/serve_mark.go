package client

import (
	"context"
	"errors"
	"fmt"
)

const (
	// markAttempts is how often a mark fails before it is reported.
	markAttempts = 5
	// maxMarks is the number of marks that wait. It is far more than the unread messages of a poll.
	maxMarks = 20_000
)

// mark is a message to be marked read.
type mark struct {
	message  MeshMessage
	cause    string // what has happened to the message, for errors
	attempts int    // that failed
	err      error  // of the last attempt
	missed   bool   // the message was not in the inbox
	reported bool
	saved    bool // the answer is in AnswerOptions.Spool
}

func (k mark) error() error {
	return fmt.Errorf("%s, but not marked read after attempt %d: %w", k.cause, k.attempts, k.err)
}

// markRead sends a mark once, in the slot of its worker, so that a slow gateway does not receive more marks at a time than there are
// workers. A mark that fails is queued.
func (s *server) markRead(ctx context.Context, k mark) {
	if !s.try(ctx, &k, false) {
		s.queue(ctx, k)
	}
}

// markOwn queues the marks of messages that the node has sent to itself. Nothing else ends them, and they fill the polls: anybody
// with a token can forge them.
func (s *server) markOwn(ctx context.Context, own []MeshMessage) {
	for _, m := range own {
		if s.begin(m) {
			s.queue(ctx, mark{message: m, cause: "sent by the node itself"})
		}
	}
}

// try sends a mark, with the retry policy or without it. It reports whether the mark is finished: the message is read, or cannot be
// marked, which is reported. A message that is not in the inbox is looked for once more, since the response may be a mistake of the
// gateway.
func (s *server) try(ctx context.Context, k *mark, repeat bool) (finished bool) {
	k.err = s.send(ctx, k.message, repeat)
	if k.err != nil {
		k.attempts++
		absent := errors.Is(k.err, errNotInInbox)
		if statusOf(k.err) >= 0 || absent && !k.missed { // any response but the gateway's 404 may come from something in between, or pass
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
func (s *server) send(ctx context.Context, m MeshMessage, repeat bool) error {
	ctx, cancel := s.client.whileOpen(context.WithoutCancel(ctx))
	defer cancel()
	unread, err := s.check.isUnread(ctx, m, repeat)
	if err != nil || !unread {
		return err
	}
	op := opMarkRead(m.ID)
	op.repeatable = repeat
	if err = s.client.markRead(ctx, op, m.ID); isMarked(err) {
		return nil
	}
	return err
}
