package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/spool"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent/internal/backlog"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
)

const (
	defaultMaxAttempts = 5
	// registrationInterval is the longest time between two checks whether the gateway still
	// knows the node. A gateway that restarts with an empty database may do so between two
	// polls, and then no request fails.
	registrationInterval = time.Minute
)

// ServeOptions configures [Serve]. The zero value is valid.
type ServeOptions struct {
	// Workers is the maximum number of handlers that run at the same time; 0 means 1. Serve
	// polls while they run, until about 1,000 messages or 32 MiB wait for a worker.
	Workers int
	// Interval, IdleInterval and Limit configure the polls, as in [WatchOptions].
	Interval     time.Duration
	IdleInterval time.Duration
	Limit        int
	// FromNode, ThreadID and Kinds select the messages to handle, as in [WatchOptions]. The
	// others stay unread.
	FromNode string
	ThreadID string
	Kinds    []client.Kind
	// Lease, if it is positive, shares the messages among the servers of the node: programs
	// with a Serve or Answer that all have a Lease. One of them at a time handles a message.
	// If it is killed, another one takes the message over after its own Lease, such as a
	// minute, which must be much longer than any pause in the programs or the gateway.
	// With 0 every server handles every message, and a warning is logged when another one
	// has answered first.
	//
	// A message that one server gives up is given up by all that are running; a server that
	// starts later tries it again.
	//
	// A server claims a message by a message to the node "claims", which cannot be
	// registered, under an idempotency key, and renews the claim every third of the lease. A
	// gateway that ignores keys is refused with an error.
	Lease time.Duration
	// Register is the registration of the node; an empty URL and nil Capabilities keep the
	// registered ones. If Register is nil, Serve does not register the node.
	// Serve discards a PeerToken: a program that needs it calls
	// [client.MeshClient.Register] itself, before Serve.
	Register *client.RegisterRequest
	// OnReady is called once, when the node is registered and the first poll has succeeded:
	// a question of another node now arrives. Serve waits for it.
	OnReady func()
	// MaxAttempts is how often a message is handed to the handler before it is given up; 0
	// means 5. For Answer it is also how often the answer is sent.
	MaxAttempts int
	// OnGiveUp reports whether a message that is given up is marked read. It receives the
	// error of the last attempt, and a worker waits for it. With nil, such messages stay
	// unread.
	OnGiveUp func(client.MeshMessage, error) (markRead bool)
	// OnError receives an error for every message that is given up or cannot be marked read.
	// With a zero message, it receives errors in polling and registration, which do not
	// end Serve. It may be called from several goroutines at the same time, and Serve waits
	// for it: polling pauses until it returns. A message that could not be marked at once
	// has no Content. With nil, the errors are logged as warnings.
	OnError func(client.MeshMessage, error)
}

// Serve hands each unread message to handler until ctx ends, and marks it read when
// handler returns nil.
//
// After an error from handler, Serve hands the message out again, up to MaxAttempts
// times, with the pauses of [RetryPause]. Then it gives the message up: OnError receives
// the error, and the message stays unread unless OnGiveUp returns true. A
// [*client.ValueError] or a [*client.MeshSecretLeakError] gives it up at once, since the
// same reply would cause it again. After a [*client.NotInRegistryError] a pause takes at
// least 15 seconds: a gateway that has lost its database knows its peers again within a
// minute.
//
// Invalid options are a [*client.ValueError]. A refused registration is returned as its
// error.
//
// # At least once
//
// A message is handled at least once: if the program stops between a handler and the
// mark, it receives the message again, and so does every other program that serves the
// node without a Lease. One Serve never hands a message to two handlers at a time. With
// one worker, messages are handled in Watch's order, except that the senders of waiting
// messages take turns. A panic in a handler is not recovered.
//
// # Registration
//
// If Register is set, Serve registers the node first, and again within a minute after the
// gateway has lost it. Otherwise it warns once if the node isn't registered.
//
// # Outages
//
// Serve keeps polling while the gateway is unreachable, at least every five seconds, or
// every IdleInterval if that's longer. It starts no handler meanwhile. An attempt that
// fails with a [*client.MeshGatewayError] without a response, or with status 502, 503 or
// 504, doesn't count if the next poll fails as well. If polls succeed, it counts: a
// handler that costs money must not run forever because only its replies fail. [Answer]
// keeps finished answers.
//
// # The end
//
// When ctx ends, Serve starts no further handler, waits for those that are running, and
// returns nil. Their context does not end with ctx, so they can finish and reply. Failed
// marks are sent until the first failure, and the others are reported. After
// [client.MeshClient.Close], Serve returns an error that matches net.ErrClosed as soon as
// the running handlers have returned. Messages that wait for another attempt stay unread.
//
// # Marks
//
// Before a mark, Serve looks at the message in the inbox, which takes one or two
// requests: a gateway with a new database reuses ids, and a mark has only the id. A
// message that has left the inbox is not marked, and OnError receives the error, unless
// it was read.
//
// A failed mark is repeated as long as Serve runs, one message at a time with growing
// pauses. OnError receives the error once for each message, after five attempts or after
// four failures in a row. At most 20,000 messages wait for their marks; others stay
// unread and are reported. The node's own messages are marked read without a handler.
//
// # Memory
//
// Messages that wait for another attempt and exceed 32 MiB, with 32 KiB added for each,
// occupy a worker. Unread messages count towards each poll's limit; if they fill a poll,
// they may hide others, and OnError receives an error.
func Serve(ctx context.Context, c *client.MeshClient, handler func(context.Context, client.MeshMessage) error, opts ServeOptions) error {
	if handler == nil {
		return invalid("handler", "must not be nil")
	}
	return serve(ctx, c, func(ctx context.Context, m message) (string, error) { return "", handler(ctx, m) }, AnswerOptions{ServeOptions: opts})
}

func serve(ctx context.Context, given *client.MeshClient, handle handler, opts AnswerOptions) error {
	c, err := of(ctx, given)
	if err != nil {
		return err
	}
	opts.MaxAttempts = cmp.Or(opts.MaxAttempts, defaultMaxAttempts)
	polls, err := opts.check(c)
	if err != nil {
		return err
	}
	handling, abort := c.WhileOpen(context.WithoutCancel(ctx))
	defer abort()
	ctx, cancel := c.WhileOpen(ctx)
	defer cancel()
	s := &server{
		client:   c,
		handler:  handle,
		handling: handling,
		opts:     opts,
		polls:    polls,
		slots:    make(chan struct{}, max(opts.Workers, 1)),
		sends:    make(chan struct{}, max(opts.Workers, 1)),
		check:    unreadCheck{client: c},
	}
	s.reach.poll = s.poll
	s.marks = marks{client: c, check: &s.check, report: s.report, end: s.marked}
	s.claims = claims{client: c, check: &s.check, lease: opts.Lease, identity: rand.Text()}
	if s.spool, err = spool.Open(opts.Spool, c.Name+" "+c.Server); err != nil {
		return invalid("Spool", c.Redact(err.Error()))
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	s.resume(ctx)
	s.serve(ctx)
	cancel()
	s.running.Wait()
	s.marks.queues.Wait()
	abort()
	s.claims.renewals.Wait()
	if c.IsClosed() {
		return c.ListFailed(seam.ErrClosed)
	}
	return nil
}

// check returns the options of the polls.
func (o AnswerOptions) check(c *node) (polls WatchOptions, err error) {
	switch {
	case o.Workers < 0:
		return polls, invalidValue("Workers", o.Workers, "must not be negative")
	case o.Lease != 0 && o.Lease < minWatchInterval:
		return polls, invalidValue("Lease", o.Lease, "must be 0 or at least 1ms")
	case o.MaxAttempts < 0:
		return polls, invalidValue("MaxAttempts", o.MaxAttempts, "must not be negative")
	case slices.Contains(o.AllowRules, liveTokenRule):
		return polls, invalidValue("AllowRules", liveTokenRule, "must not contain the rule of the live tokens")
	}
	return WatchOptions{
		Interval: o.Interval, IdleInterval: o.IdleInterval, Limit: o.Limit, FromNode: o.FromNode, ThreadID: o.ThreadID, Kinds: o.Kinds,
	}.withDefaults(c)
}

const liveTokenRule = 0

type server struct {
	client  *node
	handler handler // returns "" for Serve
	opts    AnswerOptions
	polls   WatchOptions
	slots   chan struct{} // one element for each worker that is busy
	sends   chan struct{} // one element for each answer that is sent again
	waiting atomic.Int64  // bytes that wait without a slot
	reach   reach

	registration client.RegisterRequest // completed from the registry

	handling  context.Context // for handlers and answers; it does not end with ctx
	ending    sync.Mutex      // while answers are sent after ctx has ended
	unreached bool            // such a delivery found no gateway
	running   sync.WaitGroup
	active    sync.Map // unfinished messages: key -> what ends with it
	backlog   backlog.Backlog
	check     unreadCheck
	marks     marks
	claims    claims
	spool     *spool.Spool
	resumed   map[messageKey]bool // answered by an earlier process; a late poll may show them as unread
	threads   sync.Map            // thread id -> conversation name
	hint      sync.Once
}

// serve polls while workers are busy, so that a message does not wait for all earlier
// ones.
func (s *server) serve(ctx context.Context) {
	if s.opts.Register != nil {
		s.running.Go(func() { s.keepRegistered(ctx) })
	}
	s.running.Go(func() { s.dispatch(ctx) })
	s.client.watch(ctx, s.polls, s, func(_ message, err error) bool {
		if !errors.Is(err, seam.ErrClosed) { // the sequence ends
			s.report(message{}, err)
		}
		return true
	})
}

func (s *server) accept(messages []message) {
	s.backlog.Add(slices.DeleteFunc(slices.Clone(messages), func(m message) bool { return s.resumed[keyOf(m)] || !s.begin(m) }))
}

// markOwn queues the marks of messages that the node has sent to itself. Nothing else
// ends them, and they fill the polls: anybody with a token can forge them.
func (s *server) markOwn(ctx context.Context, rows []message) {
	for _, m := range rows {
		if s.client.isOwn(m) && s.begin(m) {
			s.marks.queue(ctx, mark{message: m, cause: "sent by the node itself"})
		}
	}
}

// dispatch starts a goroutine for each waiting message, which owns a slot.
func (s *server) dispatch(ctx context.Context) {
	for s.backlog.Await(ctx, backlog.Filled) && s.acquire(ctx, s.slots) {
		m := s.backlog.Next() // after the wait for a slot, in which others may have come
		s.running.Go(func() { s.process(ctx, &job{message: m, slots: s.slots}) })
	}
}

// begin reports whether m is a new message, and adds it to those that are active. Watch
// yields a message that it has forgotten again.
func (s *server) begin(m message) bool {
	_, active := s.active.LoadOrStore(keyOf(m), func(bool) {})
	return !active
}

// isWorking reports whether messages wait for a worker or an attempt, after which they
// leave the inbox.
func (s *server) isWorking() bool {
	working := false
	if s != nil {
		s.active.Range(func(any, any) bool { working = true; return false })
	}
	return working
}

// finish ends what is active for m.
func (s *server) finish(m message) { s.end(m, false) }

func (s *server) end(m message, givenUp bool) {
	if end, ok := s.active.LoadAndDelete(keyOf(m)); ok {
		end.(func(bool))(givenUp)
	}
}

// acquire waits until the gateway can be reached and a slot is free. It returns false
// when ctx ends or the client is closed first.
func (s *server) acquire(ctx context.Context, slots chan struct{}) bool {
	for s.reach.await(ctx) {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return false
		}
		if s.client.Ended(ctx) == nil && !s.reach.isAway() { // select chooses at random
			return true
		}
		<-slots
	}
	return false
}

// poll polls for one message, as Watch does, while all workers wait.
func (s *server) poll(ctx context.Context) error {
	opts := s.polls.selection(s.client)
	opts.Limit = 1
	_, _, err := s.client.List(ctx, opts, seam.List{})
	return err
}

// report passes an error on. A handler's error may contain anything, so it is
// redacted before it is logged.
func (s *server) report(m message, err error) {
	if s.opts.OnError != nil {
		s.opts.OnError(m, err)
		return
	}
	s.client.Log.Warn("serving the inbox failed", "message", m.ID, "error", s.client.Redact(err.Error()))
}
