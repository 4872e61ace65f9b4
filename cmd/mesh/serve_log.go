package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/worker"
)

// serveLog prints a line for each attempt of mesh serve. Serve itself reports only messages that are given up.
type serveLog struct {
	app         *app
	worker      *worker.Worker
	maxAttempts int
	markRead    bool
	ended       context.Context // after its end no further attempt begins
	killed      context.Context // after its end the running commands are killed
	running     atomic.Int64

	mu     sync.Mutex
	failed map[served]int // attempts for the messages that wait for another
}

// served identifies a message. A gateway that has lost its database counts its messages from 1 again.
type served struct {
	id        int64
	createdAt string
}

// attemptError is the error of an attempt. Serve reports it when it gives the message up; its other errors for a message are those of
// a mark.
type attemptError struct {
	err    error
	marked bool // the message is given up and marked read
}

func (e *attemptError) Error() string { return e.err.Error() }
func (e *attemptError) Unwrap() error { return e.err }

// handle is the handler of Serve.
func (l *serveLog) handle(ctx context.Context, m client.MeshMessage) error {
	l.running.Add(1)
	defer l.running.Add(-1)
	receipt, err := l.worker.Handle(ctx, m)
	if err != nil {
		l.reportAttempt(m, err)
		return &attemptError{err: err}
	}
	l.forget(m)
	done := "handled without an answer"
	if receipt != nil {
		done = fmt.Sprint("answered with message ", receipt.ID)
	}
	fmt.Fprintf(l.app.errs, "mesh: message %d from %s: %s\n", m.ID, shownNode(m.FromNode), output.Line(done))
	return nil
}

// awaitInterrupt waits for the interrupt that kills the commands under way.
func (l *serveLog) awaitInterrupt(kill func()) {
	again, stop := untilInterrupted(l.killed)
	defer stop()
	if l.running.Load() > 0 {
		fmt.Fprintln(l.app.errs, "mesh: ending with the commands under way; ^C again kills them")
	}
	<-again.Done()
	kill()
}

// reportAttempt prints the error of a failed attempt if another one follows. After a ValueError and a MeshSecretLeakError Serve gives
// the message up at once.
func (l *serveLog) reportAttempt(m client.MeshMessage, err error) {
	var invalid *client.ValueError
	var leak *client.MeshSecretLeakError
	n := l.count(m)
	if n >= l.maxAttempts || errors.As(err, &invalid) || errors.As(err, &leak) || l.killed.Err() != nil {
		return
	}
	again := "again at the next start"
	if l.ended.Err() == nil {
		again = "again after " + pauseAfter(err, n)
	}
	text := strings.TrimSuffix(explain(err), ".")
	fmt.Fprintf(l.app.errs, "mesh: warning: message %d from %s: attempt %d of %d failed: %s; %s\n",
		m.ID, shownNode(m.FromNode), n, l.maxAttempts, output.Lines(text), again)
}

// pauseAfter describes the pause of Serve, which doubles from one second to one minute and is shortened at random. A gateway
// may request a longer one.
func pauseAfter(err error, attempts int) string {
	if errors.Is(err, client.ErrMesh) {
		return "a pause"
	}
	return fmt.Sprint("at most ", min(time.Second<<min(attempts-1, 6), time.Minute))
}

// giveUp reports whether a message that is given up is marked read. A command that was killed has not answered.
func (l *serveLog) giveUp(m client.MeshMessage, err error) bool {
	l.forget(m)
	marked := l.markRead && l.killed.Err() == nil
	var attempt *attemptError
	if errors.As(err, &attempt) {
		attempt.marked = marked
	}
	return marked
}

// reportError reports the errors that do not end Serve. Without an id it is an error of the polling or the registration, and without
// an attemptError it is the error of a mark.
func (l *serveLog) reportError(m client.MeshMessage, err error) {
	if m.ID == 0 {
		l.app.warn(err)
		return
	}
	state := ""
	var attempt *attemptError
	switch {
	case !errors.As(err, &attempt):
	case attempt.marked:
		state = " is marked read"
	default:
		state = " stays unread, to be tried again at the next start"
	}
	l.app.warn(fmt.Errorf("message %d from %s%s: %w", m.ID, shownNode(m.FromNode), state, err))
}

// count returns how many attempts for a message have failed.
func (l *serveLog) count(m client.MeshMessage) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = make(map[served]int)
	}
	key := served{m.ID, m.CreatedAt}
	l.failed[key]++
	return l.failed[key]
}

func (l *serveLog) forget(m client.MeshMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.failed, served{m.ID, m.CreatedAt})
}
