package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

const (
	defaultMaxAttempts = 5
	// servePause is the longest pause after a first failure. It doubles up to maxServePause.
	servePause    = time.Second
	maxServePause = time.Minute
	// registrationInterval is the longest time between two checks whether the gateway still knows the node. A gateway that
	// restarts with an empty database may do so between two polls, and then no request fails.
	registrationInterval = time.Minute
)

// ServeOptions configures [MeshClient.Serve]. The zero value is valid.
type ServeOptions struct {
	// Workers is the maximum number of handlers that run at the same time; 0 means 1. Serve polls again when every message of the
	// last poll has a worker, so that messages do not pile up in memory.
	Workers int
	// Watch configures the polling of the inbox.
	Watch WatchOptions
	// Register is the registration of the node. With nil, Serve does not register the node. Serve discards the PeerToken of a
	// registration: a program that needs it calls [MeshClient.Register] itself, before Serve.
	Register *RegisterRequest
	// MaxAttempts is how often a message is handed to the handler before it is given up; 0 means 5.
	MaxAttempts int
	// OnError receives the error of every message that is given up or cannot be marked read. With a zero message, it receives
	// the errors of polling and registration, which do not end Serve. It may be called from several goroutines at the same
	// time, and Serve waits for it: polling pauses until it returns. With nil, the errors are logged as warnings.
	OnError func(MeshMessage, error)
}

// Serve hands each unread message of the client's node to handler until ctx ends, and marks it read when handler returns nil.
//
// When handler returns an error, it receives the message again after a pause. The pauses double from one second to one minute,
// and each is shortened at random by up to half. After ServeOptions.MaxAttempts attempts, Serve gives the message up: it stays
// unread, and OnError receives the error. Such messages still count towards the limit of each poll. If they fill a poll, other
// unread messages may be hidden, and OnError receives an error.
//
// If marking a message read fails, only the marking is repeated, for as long as Serve runs. After five attempts, OnError receives
// the error. From then on, Serve sends such marks one at a time and pauses after a failure, however many of them there are.
//
// Serve registers the node first if ServeOptions.Register is set, and again within a minute after the gateway has lost it. It
// keeps polling while the gateway cannot be reached.
//
// When ctx ends, Serve starts no further handler, waits for those that are running and returns nil. Their context does not end
// with ctx, so that they can finish and reply. After [MeshClient.Close], Serve returns an error that matches net.ErrClosed as
// soon as the running handlers have returned. Messages that were waiting for another attempt stay unread.
//
// A message is handled at least once: a program that stops between a handler and the mark receives the message again, and so
// does every other program that serves the same node. With one worker, messages are handled in the order of Watch, apart from
// repeated attempts. A panic in a handler is not recovered.
//
// A mark has only the id of a message, and a gateway with a new database reuses ids. When Serve receives a newer message with a
// lower id, it drops the marks of the older messages. Before that, such a mark may mark another message read.
//
// Invalid options are a [*ValueError]. A registration that the gateway refuses is returned as its error.
func (c *MeshClient) Serve(ctx context.Context, handler func(context.Context, MeshMessage) error, opts ServeOptions) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	if err := opts.check(handler); err != nil {
		return err
	}
	handling, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.lifetime, func() { cancel(); abort() })() //nolint:contextcheck // the lifetime of the client
	s := &server{
		client:  c,
		handler: func(m MeshMessage) error { return handler(handling, m) },
		opts:    opts,
		slots:   make(chan struct{}, cmp.Or(opts.Workers, 1)),
	}
	s.opts.MaxAttempts = cmp.Or(opts.MaxAttempts, defaultMaxAttempts)
	if err := s.register(ctx); err != nil {
		return err
	}
	s.serve(ctx)
	cancel()
	s.running.Wait()
	if c.isClosed() {
		return c.gatewayError(opListMessages, &call.Error{Err: errClosed}, nil)
	}
	return nil
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
	if o.Register != nil {
		if err := o.Register.check(); err != nil {
			return err
		}
	}
	_, err := o.Watch.withDefaults()
	return err
}

// server is the state of one Serve.
type server struct {
	client  *MeshClient
	handler func(MeshMessage) error
	opts    ServeOptions
	slots   chan struct{} // one element for each running handler
	running sync.WaitGroup
	marks   markQueue
	// newest is the message with the highest id in the current database of the gateway, and database counts the databases.
	newest   MeshMessage
	database atomic.Int64
}

// serve starts a goroutine for each message. The slot of its first attempt is acquired here, which keeps the order of the
// messages and stops the polling while all workers are busy.
func (s *server) serve(ctx context.Context) {
	if s.opts.Register != nil {
		s.running.Go(func() { s.keepRegistered(ctx) })
	}
	for m, err := range s.client.Watch(ctx, s.opts.Watch) {
		switch {
		case errors.Is(err, errClosed): // the sequence ends
		case err != nil:
			s.report(MeshMessage{}, err)
		default:
			database := s.observe(m) // before the wait, so that the marks of other messages depend on it
			if s.acquire(ctx) {
				s.running.Go(func() { s.process(ctx, m, database) })
			}
		}
	}
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

// acquire waits for a free worker. It returns false when ctx ends or the client is closed first.
func (s *server) acquire(ctx context.Context) bool {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	if ctx.Err() != nil || s.client.isClosed() { // select chooses at random
		<-s.slots
		return false
	}
	return true
}

// report passes an error on. The error of a handler may contain anything, so it is redacted before it is logged.
func (s *server) report(m MeshMessage, err error) {
	if s.opts.OnError != nil {
		s.opts.OnError(m, err)
		return
	}
	s.client.log.Warn("serving the inbox failed", "node", s.client.shownNode, "message", m.ID, "error", s.client.redactor.redact(err.Error()))
}
