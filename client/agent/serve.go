package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent/internal/backlog"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/internal/spool"
)

const (
	defaultMaxAttempts = 5
	// registrationInterval is how often, at least, we check that the gateway still knows the
	// node. If it restarts between two polls with an empty database, no request fails.
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
	// FromNode, ThreadID and Kinds select the messages to handle, as in [WatchOptions].
	// Other messages stay unread.
	FromNode string
	ThreadID string
	Kinds    []client.Kind
	// Lease lets several programs serve the node together: only one at a time handles a
	// message. All of them must set Lease. If a program is killed, another one takes over
	// its message after its own Lease. Choose a time, such as a minute, that is much longer
	// than any pause in the programs or the gateway.
	//
	// If Lease is 0, every program handles every message, and Answer logs a warning if
	// another program has answered first.
	//
	// If one program gives a message up, so do all the others that are running. A program
	// that starts later tries it again.
	//
	// To claim a message, Serve sends one to the reserved node "claims" under an idempotency
	// key, and renews the claim three times per Lease. If the gateway ignores such keys,
	// Serve returns an error.
	Lease time.Duration
	// Register makes Serve register the node with these values. An empty URL or nil
	// Capabilities keep the registered ones. If Register is nil, Serve does not register the
	// node. Serve discards the PeerToken: if you need it, call [client.MeshClient.Register]
	// first.
	Register *client.RegisterRequest
	// OnReady is called once, after the registration (if any) and the first successful poll:
	// from now on, other nodes' questions arrive. Serve waits for it to return.
	OnReady func()
	// MaxAttempts is how often the handler may fail before its message is given up; 0 means
	// 5. In Answer, it is also how often a delivery may fail.
	MaxAttempts int
	// OnGiveUp decides whether to mark a message read after giving it up. It receives the
	// last attempt's error, and occupies a worker: like handlers, calls may be concurrent.
	// If nil, such messages stay unread.
	OnGiveUp func(client.MeshMessage, error) (markRead bool)
	// OnError is called if a message is given up or can't be marked read, and, with a zero
	// message, if polling or registration fails, which does not end Serve. If nil, errors
	// are logged as warnings.
	//
	// It must be safe for concurrent use. While it handles a polling error, polling waits.
	// If a message could not be marked at once, its Content is nil.
	OnError func(client.MeshMessage, error)
}

// Serve hands each unread message to handler until ctx ends, and marks it read when
// handler returns nil.
//
// If handler returns an error, Serve hands the message out again after a [RetryPause], up
// to MaxAttempts times in all. Then it gives the message up: OnError receives the error,
// and the message stays unread unless OnGiveUp returns true. After a
// [*client.ValueError] or a [*client.MeshSecretLeakError] it gives up at once, because
// the same reply would fail again. After a [*client.NotInRegistryError] it pauses for at
// least 15 seconds: if the gateway has lost its database, its peers register again within
// a minute.
//
// If the options are invalid, the error is a [*client.ValueError]. If the gateway refuses
// the registration, Serve returns that error.
//
// # At least once
//
// A message is handled at least once. If the program stops before the message is marked
// read, the next Serve handles it again. Without a Lease, so does every other program
// that serves the node.
//
// One Serve never runs two handlers for a message at the same time. With one worker,
// messages are handled in Watch's order, except that waiting senders take turns. A panic
// in a handler is not recovered.
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
// When ctx ends, Serve starts no more handlers, waits for running ones, and returns nil.
// The handlers' context has ctx's values but outlives it, so they can finish and reply;
// only [client.MeshClient.Close] cancels it. Marks that are still waiting are sent until
// one fails, and OnError receives the rest. After Close, Serve returns an error that
// matches net.ErrClosed as soon as the running handlers have returned. Messages that wait
// for another attempt stay unread.
//
// # Marks
//
// A mark identifies a message only by its id, and a gateway with a new database reuses
// ids. So Serve first looks for the message in the inbox, with one or two requests. If
// the message is not there, read or unread, Serve doesn't mark it, and OnError receives
// an error.
//
// A failed mark is repeated as long as Serve runs, one message at a time with growing
// pauses. OnError receives the error once for each message, after five attempts or after
// four failures in a row. At most 20,000 messages wait for their marks; others stay
// unread and are reported. The node's own messages are marked read without a handler.
//
// # Memory
//
// Messages waiting for another attempt may take 32 MiB, counting 32 KiB extra for each.
// Beyond that, each one occupies a worker. Unread messages count towards each poll's
// limit. If they fill a poll, they may hide others, and OnError receives an error.
func Serve(ctx context.Context, c *client.MeshClient, handler func(context.Context, client.MeshMessage) error, opts ServeOptions) error {
	if handler == nil {
		return invalid("handler", "must not be nil")
	}
	return serve(ctx, c, func(ctx context.Context, m message) (string, error) { return "", handler(ctx, m) }, AnswerOptions{ServeOptions: opts})
}

func serve(ctx context.Context, given *client.MeshClient, handle handler, opts AnswerOptions) error {
	c, err := newNode(ctx, given)
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

func (o AnswerOptions) check(c *node) (polls WatchOptions, err error) {
	switch {
	case o.Workers < 0:
		return polls, invalidValue("Workers", o.Workers, "must not be negative")
	case o.Lease != 0 && o.Lease < minWatchInterval:
		return polls, invalidValue("Lease", o.Lease, "must be 0 or at least 1ms")
	case o.MaxAttempts < 0:
		return polls, invalidValue("MaxAttempts", o.MaxAttempts, "must not be negative")
	case slices.Contains(o.AllowRules, liveTokenRule):
		return polls, invalidValue("AllowRules", liveTokenRule, "must not contain 0, the rule for live tokens")
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
	slots   chan struct{} // one element per busy worker
	sends   chan struct{} // one element per answer being sent again
	waiting atomic.Int64  // bytes that wait without a slot
	reach   reach

	registration client.RegisterRequest // completed from the registry

	handling  context.Context // for handlers and answers; it does not end with ctx
	ending    sync.Mutex      // held while an answer is sent after ctx has ended
	unreached bool            // a delivery after ctx ended found no gateway
	running   sync.WaitGroup
	active    sync.Map // message key of unfinished messages -> func that ends the claim
	backlog   backlog.Backlog
	check     unreadCheck
	marks     marks
	claims    claims
	spool     *spool.Spool
	resumed   map[messageKey]bool // answered by an earlier process; a late poll may show them as unread
	threads   sync.Map            // thread id -> name
	hint      sync.Once
}

// serve keeps polling while workers are busy, so new senders can take turns with earlier
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

// markOwn marks the node's messages to itself. No handler gets them, so they would fill
// the polls, and anyone with a token can forge them.
func (s *server) markOwn(ctx context.Context, rows []message) {
	for _, m := range rows {
		if s.client.isOwn(m) && s.begin(m) {
			s.marks.queue(ctx, mark{message: m, cause: "sent by the node itself"})
		}
	}
}

// dispatch starts a goroutine for each waiting message as slots become free. The
// goroutine owns its slot.
func (s *server) dispatch(ctx context.Context) {
	for s.backlog.Await(ctx, backlog.Filled) && s.acquire(ctx, s.slots) {
		m := s.backlog.Next() // after the wait for a slot, in which others may have come
		s.running.Go(func() { s.process(ctx, &job{message: m, slots: s.slots}) })
	}
}

// begin adds m to the active messages. It reports false if m is active already, since
// Watch may yield a message again.
func (s *server) begin(m message) bool {
	_, active := s.active.LoadOrStore(keyOf(m), func(bool) {})
	return !active
}

// isWorking reports whether any message is unfinished.
func (s *server) isWorking() bool {
	working := false
	if s != nil {
		s.active.Range(func(any, any) bool { working = true; return false })
	}
	return working
}

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

// poll fetches at most one message, just to see whether the gateway is back.
func (s *server) poll(ctx context.Context) error {
	opts := s.polls.selection(s.client)
	opts.Limit = 1
	_, _, err := s.client.List(ctx, opts, seam.List{})
	return err
}

// report passes an error on. Errors about a message start with what happened to it. A
// handler's error may contain anything, so it is redacted before it is logged.
func (s *server) report(m message, err error) {
	if s.opts.OnError != nil {
		s.opts.OnError(m, err)
		return
	}
	what, cause := "serving the inbox failed", s.client.Redact(err.Error())
	if m.ID != 0 {
		what, cause, _ = strings.Cut(cause, ": ")
	}
	s.client.Log.Warn(what, "message", m.ID, "error", cause)
}
