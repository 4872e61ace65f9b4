package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent/internal/backlog"
	"github.com/mesh-gateway/mesh-go/client/internal/pause"
)

// unknownPeerPause is the shortest pause after a NotInRegistryError. By default there are
// four pauses, which together last registrationInterval: if the gateway lost its
// database, the peer has registered again by then.
const unknownPeerPause = registrationInterval / 4

// job is a message that Serve has not finished with.
type job struct {
	message  message
	slots    chan struct{} // the job holds a slot in it
	began    polls         // when the last attempt began
	attempts int           // failed attempts that count
	finished bool          // the handler has succeeded, and is not called again
	answer   string        // to send once finished; "" sends nothing
	saved    bool          // the answer is in AnswerOptions.Spool
	gone     bool          // the gateway no longer has the message; the answer is in its file
	refused  error         // why the function's text is not sent
}

// process hands a message to the handler until it succeeds or is given up. The caller
// holds a slot; process releases it unless ctx has ended.
func (s *server) process(ctx context.Context, j *job) {
	// A finished answer costs nothing more, and its key keeps it from arriving twice.
	if s.opts.Lease > 0 && !j.finished && !s.claim(ctx, j) {
		return
	}
	for {
		err := s.attempt(j) //nolint:contextcheck // a handler that runs may end after ctx has ended
		if err == nil {
			s.marks.send(ctx, mark{message: j.message, cause: "handled", saved: j.saved})
			<-j.slots
			return
		}
		ended, away := s.reach.polls(), classify(err) == away
		if away {
			s.reach.suspect(err)
		} else if s.fails(ctx, j, err) {
			return
		}
		if !s.pause(ctx, j, servePauseAfter(err, max(j.attempts, 1))) {
			s.leave(ctx, j, err)
			return
		}
		if away && !s.reach.isOutage(j.began, ended) && s.fails(ctx, j, err) {
			return
		}
	}
}

// claim waits until no other server handles the job's message. The job must hold a slot.
// If claim returns false, the job is over: another server has finished the message and
// the slot is free, or ctx has ended.
func (s *server) claim(ctx context.Context, j *job) bool {
	last, mine := lastClaim{since: j.message.CreatedAt}, false
	for {
		if !s.repeat(ctx, j, func() (err error) {
			mine, err = s.claims.take(ctx, j.message, last.number, s.claims.identity)
			return err
		}) {
			return false
		}
		if mine {
			break
		}
		<-j.slots
		j.message.Content, j.message.AdditionalProperties = nil, nil // many messages may be waiting
		if !s.claims.await(ctx, j.message, &last) || !s.acquire(ctx, j.slots) {
			s.finish(j.message)
			return false
		}
		last.number, last.givenUp = last.number+1, false
	}
	s.active.Store(keyOf(j.message), s.claims.hold(s.handling, j.message, last.number)) //nolint:contextcheck // it is renewed after ctx has ended
	if last.number == 0 {
		return true
	}
	// Another server may have finished the message just before our claim. And we have
	// dropped its content.
	var m *message
	if !s.repeat(ctx, j, func() (err error) { m, err = s.claims.find(ctx, j.message, true); return err }) {
		return false
	}
	if m == nil {
		s.finish(j.message)
		<-j.slots
		return false
	}
	j.message = *m
	return true
}

// repeat calls do until it succeeds, and releases the job's slot while it pauses. It
// returns false if ctx ends.
func (s *server) repeat(ctx context.Context, j *job, do func() error) bool {
	for failures := 1; ; failures++ {
		err := do()
		switch {
		case err == nil:
			return true
		case classify(err) == away:
			s.reach.suspect(err)
		default:
			s.report(message{}, err)
		}
		if !s.pause(ctx, j, RetryPause(err, failures)) {
			s.finish(j.message)
			return false
		}
	}
}

// attempt calls the handler, unless it has succeeded before, and sends its answer.
func (s *server) attempt(j *job) error {
	j.began = s.reach.polls()
	if !j.finished {
		text, err := s.handler(s.inConversation(s.handling, j.message), j.message)
		if err != nil {
			return err
		}
		j.finished, j.answer, j.attempts, j.began = true, text, 0, s.reach.polls()
		s.save(j)
	}
	return s.deliver(j)
}

// fails counts a failed attempt and reports whether the message is given up.
func (s *server) fails(ctx context.Context, j *job, err error) bool {
	var invalid *client.ValueError // the same reply is refused again
	var leak *client.MeshSecretLeakError
	j.attempts++
	j.gone = j.saved && classify(err) != none && s.check.isGone(ctx, j.message)
	if j.attempts < s.opts.MaxAttempts && !j.gone && !errors.As(err, &invalid) && !errors.As(err, &leak) {
		return false
	}
	if j.gone { // a restored database may have the message again
		err = fmt.Errorf("%w; its answer stays in %s, to send or to remove: %w", errNotInInbox, s.spool.File(j.message), err)
	}
	s.giveUp(ctx, j, fmt.Errorf("given up after attempt %d: %w", j.attempts, err))
	return true
}

// giveUp ends the attempts for a message. It sends the mark while it holds the slot, as
// after a success, but frees the worker before OnError, which may wait for a person.
func (s *server) giveUp(ctx context.Context, j *job, err error) {
	m := j.message
	if !j.gone && s.opts.OnGiveUp != nil && s.opts.OnGiveUp(m, err) {
		s.marks.send(ctx, mark{message: m, cause: "given up"})
	} else {
		s.end(m, true)
	}
	if size := backlog.Size(m); s.reserve(size) {
		<-j.slots
		s.report(m, err)
		s.waiting.Add(-size)
		return
	}
	s.report(m, err)
	<-j.slots
}

// pause waits for d, then for the gateway. Meanwhile it releases the job's slot, unless
// too many bytes are waiting already. A finished answer takes a slot in sends, so it need
// not wait for other handlers. pause returns false if ctx ends or the client is closed
// first.
func (s *server) pause(ctx context.Context, j *job, d time.Duration) bool {
	size := backlog.Size(j.message) + int64(len(j.answer))
	if !s.reserve(size) {
		return s.client.Sleep(ctx, d) == nil && s.reach.await(ctx)
	}
	defer s.waiting.Add(-size)
	<-j.slots
	if j.finished {
		j.slots = s.sends
	}
	return s.client.Sleep(ctx, d) == nil && s.acquire(ctx, j.slots)
}

// reserve adds size to the bytes waiting without a slot, or reports false if that would
// exceed backlog.MaxBytes.
func (s *server) reserve(size int64) bool {
	if s.waiting.Add(size) <= backlog.MaxBytes {
		return true
	}
	s.waiting.Add(-size)
	return false
}

func servePauseAfter(err error, attempts int) time.Duration {
	d := RetryPause(err, attempts)
	var unknown *client.NotInRegistryError
	if errors.As(err, &unknown) {
		d = max(d, pause.Lengthen(unknownPeerPause))
	}
	return d
}
