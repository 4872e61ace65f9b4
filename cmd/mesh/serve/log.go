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

// serveLog prints a line per attempt. Serve itself only reports messages that it gives
// up.
type serveLog struct {
	*Options
	worker      *worker.Worker
	ended       context.Context // no further attempts start once it's done
	running     atomic.Int64
	undelivered atomic.Int64 // answers lost or kept at the end

	mu      sync.Mutex
	failed  map[served]int  // failed attempts per message
	givenUp map[served]bool // message -> whether to mark it read
}

// served identifies a message. Ids restart at 1 after a gateway loses its database.
type served struct {
	id        int64
	createdAt string
}

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

// sent reports an attempt to send an answer.
func (l *serveLog) sent(m client.MeshMessage, receipt *client.MeshMessage, err error) {
	switch {
	case err != nil:
		fmt.Fprintf(l.Errs, "mesh: warning: %s: answer not delivered: %s\n", named(m), cause(err))
	case receipt != nil:
		l.done(m, fmt.Sprint("answered with message ", receipt.ID))
	default:
		l.done(m, "answered before")
	}
}

func (l *serveLog) done(m client.MeshMessage, what string) {
	fmt.Fprintf(l.Errs, "mesh: %s: %s\n", named(m), what)
}

func named(m client.MeshMessage) string {
	return fmt.Sprintf("message %d from %s", m.ID, mail.ShownNode(m.FromNode))
}

// cause formats err for the middle of a line.
func cause(err error) string { return output.Lines(strings.TrimSuffix(exit.Explain(err), ".")) }

func (l *serveLog) ending() {
	if l.running.Load() > 0 {
		fmt.Fprintln(l.Errs, "mesh: waiting for running commands; ^C again kills them")
	}
}

// reportAttempt prints an error if another attempt follows. Serve gives up at once after
// a ValueError or a MeshSecretLeakError.
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

// pauseAfter describes Serve's pause, which doubles from a second to a minute, with
// random reductions. A gateway may request more.
func pauseAfter(err error, attempts int) string {
	if errors.Is(err, client.ErrMesh) {
		return "a pause"
	}
	return fmt.Sprint("at most ", min(time.Second<<min(attempts-1, 6), time.Minute))
}

// giveUp reports whether to mark a message read. It stays unread if we killed the
// command.
func (l *serveLog) giveUp(m client.MeshMessage, _ error) bool {
	l.forget(m)
	marked := l.Options.giveUp == markRead && l.worker.Killed.Err() == nil
	l.mu.Lock()
	defer l.mu.Unlock()
	l.givenUp[served{m.ID, m.CreatedAt}] = marked
	return marked
}

// reportError reports errors after which Serve continues. m.ID is 0 for polling and
// registration. For a message that's given up, Serve calls giveUp first.
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

// state says what happens to a message that's given up. A second call returns "": that
// error comes from marking the message read.
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

// count adds a failed attempt and returns their number.
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

// onHangup calls kill if the terminal hangs up, unless nohup ignores that. Commands have
// their own process groups, which the hangup doesn't reach, and no one could press ^C
// again. Until stop is called, it also ignores SIGPIPE: a closed pipe must not end serve
// without its commands.
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
