//go:build unix

package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// serve is interrupted while it can't deliver its answer.
func TestServeKeepsAnAnswerOfAnOutage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spool bool
		want  string
	}{
		"no spool": {false, "1 finished answers not delivered; the next start runs the command again for their questions; --spool keeps answers"},
		"a spool":  {true, "delivers kept answers, and runs the command again for other questions"},
	} {
		g := newGatewayForTest(t)
		g.Store("node-b", "node-a", "question", "one")
		g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: http.StatusBadGateway, Times: -1})
		args := []string{"serve", "--", "handler", "answer"}
		if c.spool {
			args = append([]string{"serve", "--spool", t.TempDir()}, args[1:]...)
		}
		p := startProcess(t, command(t, g, args...))
		p.await("message 1 from node-b: answer not delivered: ")
		require.NoError(t, p.Process.Signal(os.Interrupt))
		p.await("message 1 from node-b: the answer is ")
		p.await(c.want)
		var ended *exec.ExitError
		require.ErrorAs(t, p.Wait(), &ended, name)
		assert.Equal(t, exit.Failed, ended.ExitCode(), name)
		if !c.spool {
			continue
		}
		g.Heal()
		p = startProcess(t, command(t, g, args...))
		p.await("mesh: message 1 from node-b: answered with message 2\n")
		assert.NotContains(t, p.stderr.String(), "handler: 1")
	}
}

func TestInterruptDrainsServe(t *testing.T) {
	t.Parallel()
	g, listener := newGatewayForTest(t), blocker(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startGroup(t, command(t, g, "serve", "--", "handler", "block", listener.Addr().String()))
	conn, err := listener.Accept()
	require.NoError(t, err)
	p.interrupt()
	p.await("^C again kills them")
	require.NoError(t, conn.Close(), "the handler keeps running")
	assert.Equal(t, exit.Done, p.exit())
	assert.Contains(t, p.stderr.String(), "mesh: serving as node-a: runs handler block …; ^C ends it\n")
	assert.Equal(t, []string{"done after all"}, answers(t, g))
	assert.Empty(t, unread(t, g), "the message is marked read")
}

func TestInterruptEndsAnIdleServe(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	polled := firstPoll(g)
	p := startGroup(t, command(t, g, "serve", "--", "handler", "block", "-"))
	awaitPoll(t, polled)
	p.interrupt()
	assert.Equal(t, exit.Done, p.exit())
	assert.Equal(t, "mesh: serving as node-a: runs handler block …; ^C ends it\n", p.stderr.String())
}

func TestSecondInterruptKillsServe(t *testing.T) {
	t.Parallel()
	g, listener := newGatewayForTest(t), blocker(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startGroup(t, command(t, g, "serve", "--max-attempts", "1", "--give-up", "mark", "--", "handler", "block", listener.Addr().String()))
	conn, err := listener.Accept()
	require.NoError(t, err)
	p.interrupt()
	p.await("^C again kills them")
	for !isGone(t, conn) { // interrupts within a second count as one
		p.interrupt()
	}
	assert.Equal(t, exit.Failed, p.exit())
	assert.Contains(t, p.stderr.String(), "killed the running commands; their messages stay unread")
	assert.Empty(t, answers(t, g))
	assert.Len(t, unread(t, g), 1, "killing a command doesn't give up its message")
}

// isGone waits up to 100 ms and reports whether the handler has ended.
func isGone(t *testing.T, conn net.Conn) bool {
	t.Helper()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	_, err := conn.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// timeout 60 mesh serve sends one signal to the process and one to its group.
func TestTimeoutDoesNotKillTheCommandOfServe(t *testing.T) {
	t.Parallel()
	for !sentAtOnce(t) {
	}
}

func TestTwoSignalsAtOnceAreOne(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "fyi", "one")
	for _, args := range [][]string{
		{"inbox", "--watch"}, {"gateway", "--listen", "127.0.0.1:0"}, {"providers", "--listen", "127.0.0.1:0"}, {"meter", "--listen", "127.0.0.1:0", "--log", t.TempDir()},
	} {
		p := startGroup(t, command(t, g, args...))
		p.line()
		p.interrupt()
		p.interrupt()
		assert.Equal(t, exit.Done, p.exit(), args)
	}
}

// A closed terminal must leave no command behind.
func TestHangupKillsServe(t *testing.T) {
	t.Parallel()
	g, listener := newGatewayForTest(t), blocker(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startGroup(t, command(t, g, "serve", "--", "handler", "block", listener.Addr().String()))
	conn, err := listener.Accept()
	require.NoError(t, err)
	require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	_, err = conn.Read(make([]byte, 1))
	require.Error(t, err, "the handler is gone")
	assert.Equal(t, exit.Failed, p.exit())
	assert.Empty(t, answers(t, g))
	assert.Len(t, unread(t, g), 1)
}

// nohup ignores SIGHUP in the same way.
func TestIgnoredHangupDoesNotEndServe(t *testing.T) {
	t.Parallel()
	g, listener := newGatewayForTest(t), blocker(t)
	g.Store("node-b", "node-a", "question", "one")
	cmd := command(t, g)
	mesh := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", `trap "" HUP; exec mesh serve -- handler block "$0"`, listener.Addr().String())
	mesh.Env = cmd.Env
	p := startGroup(t, mesh)
	conn, err := listener.Accept()
	require.NoError(t, err)
	require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	require.NoError(t, conn.Close(), "the handler keeps running")
	assert.Equal(t, "done after all", answer(t, g))
	p.interrupt()
	assert.Equal(t, exit.Done, p.exit())
}
