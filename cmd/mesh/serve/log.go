package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/worker"
)

// serveLog prints a line for each attempt of mesh serve. Serve itself reports only messages that are given up.
type serveLog struct {
	*Options
	worker      *worker.Worker
	ended       context.Context // after its end no further attempt begins
	running     atomic.Int64
	undelivered atomic.Int64 // answers at the end

	mu      sync.Mutex
	failed  map[served]int  // attempts for the messages that wait for another
	givenUp map[served]bool // messages that are given up, and whether they are marked read
}

// served identifies a message. A gateway that has lost its database counts its messages from 1 again.
type served struct {
	id        int64
	createdAt string
}

// answer is the function of Answer.
func (l *serveLog) answer(ctx context.Context, m client.MeshMessage) (string, error) {
	l.running.Add(1)
	defer l.running.Add(-1)
	text, err := l.worker.Answer(ctx, m)
	if err != nil {
		l.reportAttempt(m, err)
		return "", err
	}
	l.forget(m)
	if text == "" {
		l.done(m, "handled without an answer")
	}
	return text, nil
}

// sent reports the outcome of an attempt to send an answer.
func (l *serveLog) sent(m client.MeshMessage, receipt *client.MeshMessage, err error) {
	switch {
	case err != nil:
		fmt.Fprintf(l.Errs, "mesh: warning: %s: the answer is not delivered: %s\n", named(m), cause(err))
	case receipt != nil:
		l.done(m, fmt.Sprint("answered with message ", receipt.ID))
	default:
		l.done(m, "answered before")
	}
}

func (l *serveLog) done(m client.MeshMessage, what string) {
	fmt.Fprintf(l.Errs, "mesh: %s: %s\n", named(m), what)
}

// named returns the beginning of a line about a message.
func named(m client.MeshMessage) string {
	return fmt.Sprintf("message %d from %s", m.ID, mail.ShownNode(m.FromNode))
}

// cause returns the text of an error for a sentence that continues.
func cause(err error) string { return output.Lines(strings.TrimSuffix(exit.Explain(err), ".")) }

func (l *serveLog) ending() {
	if l.running.Load() > 0 {
		fmt.Fprintln(l.Errs, "mesh: ending with the commands under way; ^C again kills them")
	}
}

// reportAttempt prints the error of a failed attempt if another one follows. After a ValueError and a MeshSecretLeakError Serve gives
// the message up at once.
func (l *serveLog) reportAttempt(m client.MeshMessage, err error) {
	var invalid *client.ValueError
	var leak *client.MeshSecretLeakError
	n := l.count(m)
	if n >= l.maxAttempts || errors.As(err, &invalid) || errors.As(err, &leak) || l.worker.Killed.Err() != nil {
		return
	}
	again := "again at the next start"
	if l.ended.Err() == nil {
		again = "again after " + pauseAfter(err, n)
	}
	fmt.Fprintf(l.Errs, "mesh: warning: %s: attempt %d of %d failed: %s; %s\n", named(m), n, l.maxAttempts, cause(err), again)
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
func (l *serveLog) giveUp(m client.MeshMessage, _ error) bool {
	l.forget(m)
	marked := l.Options.giveUp == markRead && l.worker.Killed.Err() == nil
	l.mu.Lock()
	defer l.mu.Unlock()
	l.givenUp[served{m.ID, m.CreatedAt}] = marked
	return marked
}

// reportError reports the errors that do not end Serve. Without an id it is an error of the polling or the registration. Serve calls
// giveUp before it reports a message that is given up.
func (l *serveLog) reportError(m client.MeshMessage, err error) {
	if m.ID == 0 {
		l.Warn(err)
		return
	}
	if errors.Is(err, agent.ErrAnswerLost) || errors.Is(err, agent.ErrAnswerKept) {
		l.undelivered.Add(1)
	}
	l.Warn(fmt.Errorf("%s%s: %w", named(m), l.state(m), &exit.ServedError{Err: err}))
}

// state describes a message that is given up. It then forgets the message, since the next error for it comes from a mark.
func (l *serveLog) state(m client.MeshMessage) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := served{m.ID, m.CreatedAt}
	marked, givenUp := l.givenUp[key]
	delete(l.givenUp, key)
	switch {
	case !givenUp:
		return ""
	case marked:
		return " is marked read"
	default:
		return " stays unread, to be tried again at the next start"
	}
}

// count returns how many attempts for a message have failed.
func (l *serveLog) count(m client.MeshMessage) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := served{m.ID, m.CreatedAt}
	l.failed[key]++
	return l.failed[key]
}

func (l *serveLog) forget(m client.MeshMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.failed, served{m.ID, m.CreatedAt})
}

// onHangup calls kill when the terminal hangs up, unless nohup ignores that, until the function that it returns is called. The
// commands of mesh serve are in process groups of their own: the hangup does not reach them, and there is no terminal left for a
// second ^C. Until then a write to a closed pipe returns an error instead of ending this process without its commands.
func onHangup(kill func()) (stop func()) {
	hangups, pipes := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hangups, syscall.SIGHUP)
	}
	go func() {
		if _, ok := <-hangups; ok {
			kill()
		}
	}()
	return func() {
		signal.Stop(hangups)
		signal.Stop(pipes)
		close(hangups)
	}
}
