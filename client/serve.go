package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultMaxAttempts = 5
	// servePause is the pause after the first failure of a handler. It doubles up to maxServePause.
	servePause    = time.Second
	maxServePause = time.Minute
	// registrationInterval is how often Serve looks whether the gateway still knows the node. A gateway that restarts with an
	// empty database may do so between two polls, and then no request fails.
	registrationInterval = time.Minute
)

// ServeOptions configures [MeshClient.Serve]. The zero value is valid.
type ServeOptions struct {
	// Workers is the maximum number of handlers that run at the same time; 0 means 1.
	Workers int
	// Watch configures the polling of the inbox.
	Watch WatchOptions
	// Register is the registration of the node. nil leaves it to the caller.
	Register *RegisterRequest
	// MaxAttempts is how often a message is handed to the handler before it is given up; 0 means 5.
	MaxAttempts int
	// OnError receives the error of every message that is given up, and, with a zero message, the errors of polling and
	// registration, which Serve survives. It may be called from several goroutines at the same time. nil drops them.
	OnError func(MeshMessage, error)
}

// Serve hands each unread message of the own inbox to handler until ctx ends, and marks it read when handler returns nil.
//
// When handler returns an error, it receives the message again after a pause that grows from one second to one minute. After
// ServeOptions.MaxAttempts the message is given up: it stays unread, and OnError receives the error. Messages that were given
// up occupy the window of the inbox. When they fill it, OnError receives the error of Watch, since other unread messages
// may be hidden.
//
// Serve registers the node first if ServeOptions.Register is set, and again when the gateway has forgotten it. It survives
// restarts of the gateway.
//
// When ctx ends, Serve starts no further handler, waits for those that are running and returns nil. Their context does not
// end with ctx, so that they can finish and reply; give it a deadline of its own where a handler may hang. Messages that were
// waiting for another attempt stay unread.
//
// A message is handled at least once: a program that stops between a handler and the mark receives the message again. With
// one worker, messages are handled in the order of their ids, apart from repeated attempts. A panic in a handler is not
// recovered.
//
// Invalid options are a [*ValueError]. A registration that the gateway refuses is returned as its error. After
// [MeshClient.Close], Serve returns an error that matches net.ErrClosed.
func (c *MeshClient) Serve(ctx context.Context, handler func(context.Context, MeshMessage) error, opts ServeOptions) error {
	if err := opts.check(handler); err != nil {
		return err
	}
	s := &server{client: c, handler: handler, opts: opts, slots: make(chan struct{}, cmp.Or(opts.Workers, 1))}
	s.opts.MaxAttempts = cmp.Or(opts.MaxAttempts, defaultMaxAttempts)
	if err := s.register(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer s.running.Wait()
	defer cancel()
	if opts.Register != nil {
		s.running.Go(func() { s.keepRegistered(ctx) })
	}
	return s.serve(ctx)
}

func (o ServeOptions) check(handler func(context.Context, MeshMessage) error) error {
	switch {
	case handler == nil:
		return &ValueError{Field: "handler", Reason: "must not be nil"}
	case o.Workers < 0:
		return &ValueError{Field: "workers", Value: fmt.Sprint(o.Workers), Reason: "must not be negative"}
	case o.MaxAttempts < 0:
		return &ValueError{Field: "max attempts", Value: fmt.Sprint(o.MaxAttempts), Reason: "must not be negative"}
	}
	return nil
}

// server is the state of one Serve.
type server struct {
	client  *MeshClient
	handler func(context.Context, MeshMessage) error
	opts    ServeOptions
	slots   chan struct{} // one element for each running handler
	running sync.WaitGroup
	// newest is the message with the highest id in the current database of the gateway, and database counts the databases.
	newest   MeshMessage
	database atomic.Int64
}

// serve starts a goroutine for each message. The slot of its first attempt is acquired here, which keeps the order of the
// messages and stops the polling while all workers are busy.
func (s *server) serve(ctx context.Context) error {
	for m, err := range s.client.Watch(ctx, s.opts.Watch) {
		var invalid *ValueError
		switch {
		case errors.As(err, &invalid) || errors.Is(err, errClosed):
			return err
		case err != nil:
			s.report(MeshMessage{}, err)
		case s.acquire(ctx):
			database := s.observe(m)
			s.running.Go(func() { s.process(ctx, m, database) })
		}
	}
	if ctx.Err() == nil {
		return s.client.ready(ctx) // Watch ends without an error when the client is closed during a pause
	}
	return nil
}

// observe returns the number of the database that m is in. A lower id with a later time shows that the gateway has begun a
// new database. The times are compared as text, as the gateway does.
func (s *server) observe(m MeshMessage) int64 {
	lower := m.ID <= s.newest.ID
	if lower && m.CreatedAt > s.newest.CreatedAt {
		s.newest = m
		return s.database.Add(1)
	}
	if !lower {
		s.newest = m
	}
	return s.database.Load()
}

// acquire waits for a free worker. It returns false when ctx ends first.
func (s *server) acquire(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case s.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// process hands m to the handler until it succeeds or is given up. The first slot is already acquired.
func (s *server) process(ctx context.Context, m MeshMessage, database int64) {
	for attempt := 1; ; attempt++ {
		err := s.attempt(ctx, m)
		if err == nil {
			s.markRead(ctx, m, database)
			return
		}
		if attempt == s.opts.MaxAttempts {
			s.report(m, fmt.Errorf("given up after %d attempts: %w", attempt, err))
			return
		}
		pause := jitter(backoff(servePause, maxServePause, attempt))
		if s.client.sleep(ctx, pause) != nil || !s.acquire(ctx) {
			return
		}
	}
}

// attempt runs the handler once and releases its slot.
func (s *server) attempt(ctx context.Context, m MeshMessage) error {
	defer func() { <-s.slots }()
	return s.handler(context.WithoutCancel(ctx), m)
}

// markRead marks a handled message. The handler is not run again for a mark that fails; only the mark is repeated, and once
// more when ctx ends during a pause. A 404 means that the message is marked already. A message of an earlier database is not
// marked: its id may belong to another message now.
func (s *server) markRead(ctx context.Context, m MeshMessage, database int64) {
	for attempt := 1; s.database.Load() == database; attempt++ {
		err := s.client.MarkRead(context.WithoutCancel(ctx), m.ID)
		var refused *MeshGatewayError
		if err == nil || errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound {
			return
		}
		if attempt == s.opts.MaxAttempts || ctx.Err() != nil {
			s.report(m, fmt.Errorf("handled, but not marked read: %w", err))
			return
		}
		_ = s.client.sleep(ctx, jitter(backoff(servePause, maxServePause, attempt)))
	}
}

func (s *server) report(m MeshMessage, err error) {
	if s.opts.OnError != nil {
		s.opts.OnError(m, err)
	}
}
