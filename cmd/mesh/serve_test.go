package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestServeAnswersWithWhatTheCommandPrints(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t, gatewaytest.WithPeers("node-a"))
	c, err := client.New("node-b", g.Options()...)
	require.NoError(t, err)
	defer c.Close()
	thread, err := c.OpenThread(t.Context(), "builds")
	require.NoError(t, err)
	_, err = c.Send(t.Context(), client.SendRequest{To: "node-a", Kind: client.KindQuestion, Content: "is it green?", ThreadID: thread.ID})
	require.NoError(t, err)

	p := startProcess(t, command(t, g, "serve", "--url", "http://a.example", "--", "handler", "answer"))
	p.await("handler: 1 node-b question " + thread.ID)
	p.await("\nmesh: message 1 from node-b: answered with message 2\n")
	m := firstMessage(t, g)
	assert.Equal(t, client.KindAnswer, m.Kind)
	assert.Equal(t, thread.ID, m.GetThreadID())
	assert.Contains(t, m.GetContent(), `"CONTENT":"IS IT GREEN?"`, "the message was JSON on stdin")
	peer, err := c.GetPeer(t.Context(), "node-a")
	require.NoError(t, err)
	assert.Equal(t, "http://a.example", peer.GetURL())
}

func TestServeReportsAMessageThatIsGivenUp(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startProcess(t, command(t, g, "serve", "--max-attempts", "1", "--", "handler", "fail"))
	p.await("mesh: warning: message 1 from node-b stays unread, to be tried again at the next start: given up after attempt 1: handler: exit status 1\n")
}

func TestServeReportsEachAttempt(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startProcess(t, command(t, g, "serve", "--max-attempts", "2", "--give-up", "mark", "--", "handler", "fail"))
	p.await("mesh: warning: message 1 from node-b: attempt 1 of 2 failed: handler: exit status 1; again after at most 1s\n")
	p.await("mesh: warning: message 1 from node-b is marked read: given up after attempt 2: handler: exit status 1\n")
	assert.NotContains(t, p.stderr.String(), "attempt 2 of 2")
}

func TestServeReportsAMessageWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "question", "one")
	startProcess(t, command(t, g, "serve", "--", "handler", "silent")).await("mesh: message 1 from node-b: handled without an answer\n")
}

// TestServeDoesNotRunForAQuestionThatCannotBeAnswered checks that no command is run for the question of a sender that is not
// registered, and that it is run if that is not known or if no answer is necessary.
func TestServeDoesNotRunForAQuestionThatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, kind string
		status     int
		want       string
	}{
		"not registered": {"node-q", "question", 0, `attempt 1 of 5 failed: handler was not run: "node-q" is not registered`},
		"disabled":       {"node-d", "question", 0, "given up after attempt 1: the sender is disabled or has an invalid name, and cannot receive an answer; handler was not run\n"},
		"not known":      {"node-q", "question", http.StatusBadRequest, "handler: 1 node-q question"},
		"no question":    {"node-q", "fyi", 0, "handler: 1 node-q fyi"},
	} {
		g := newGatewayForTest(t, gatewaytest.WithPeers("node-d"))
		g.Disable("node-d", true)
		g.Store(c.from, "node-a", c.kind, "one")
		g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
			if r.Operation == gatewaytest.GetPeer && strings.HasSuffix(r.Path, c.from) && c.status != 0 {
				return &gatewaytest.Fault{Status: c.status}
			}
			return nil
		})
		p := startProcess(t, command(t, g, "serve", "--kind", "all", "--", "handler", "answer"))
		p.await(c.want)
		assert.Equal(t, strings.HasPrefix(c.want, "handler"), strings.Contains(p.stderr.String(), "handler: 1"), name)
	}
}

// TestServeHasNoAdviceForACredential checks that serve does not name a flag of mesh send, which does not help here.
func TestServeHasNoAdviceForACredential(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startProcess(t, command(t, g, "serve", "--", "handler", "leak"))
	p.await("given up after attempt 1: the message contains a credential and is not sent")
	p.await(".\n")
	assert.NotContains(t, p.stderr.String(), "allow-rule")
}

// A sender with a line break must not add a line to the log.
func TestServeQuotesAForgedSender(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b\nmesh: serving ends", "node-a", "question", "one")
	p := startProcess(t, command(t, g, "serve", "--max-attempts", "1", "--", "handler", "fail"))
	p.await(`mesh: warning: message 1 from "node-b\nmesh: serving ends" stays unread`)
}

// TestServeAnswersQuestionsOnly checks that two nodes with mesh serve do not answer the answers of each other.
func TestServeAnswersQuestionsOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags []string
		first string
	}{
		"by default":        {nil, "handler: 2 node-b question"},
		"with other kinds":  {[]string{"--kind", "fyi,question"}, "handler: 2 node-b question"},
		"with every kind":   {[]string{"--kind", "all"}, "handler: 1 node-b answer"},
		"with answers only": {[]string{"--kind", "answer"}, "handler: 1 node-b answer"},
	} {
		g := newGatewayForTest(t)
		g.Store("node-b", "node-a", "answer", "one")
		g.Store("node-b", "node-a", "question", "two")
		p := startProcess(t, command(t, g, append(append([]string{"serve"}, c.flags...), "--", "handler", "answer")...))
		p.await(c.first)
		_, printed, _ := strings.Cut(p.stderr.String(), "mesh: serving as node-a: runs handler answer; ^C ends it\n")
		assert.True(t, strings.HasPrefix(printed, c.first), "%s, in order: %s", name, printed)
	}
}

func TestServeMarksAMessageThatIsGivenUp(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]int{"leave": 1, "mark": 0} {
		g := newGatewayForTest(t)
		g.Store("node-b", "node-a", "question", "one")
		p := startProcess(t, command(t, g, "serve", "--max-attempts", "1", "--give-up", action, "--", "handler", "fail"))
		p.await("given up after attempt 1: handler: exit status 1")
		c, err := client.New("node-a", g.Options()...)
		require.NoError(t, err)
		defer c.Close()
		unread, err := c.Fetch(t.Context(), client.FetchOptions{UnreadOnly: true})
		require.NoError(t, err)
		assert.Len(t, unread, want, action)
	}
}

// TestServePollsAtAnInterval uses the warning of package client about a short interval, since a time would be a guess.
func TestServePollsAtAnInterval(t *testing.T) {
	t.Parallel()
	p := startProcess(t, command(t, newGatewayForTest(t), "serve", "--interval", "50ms", "--", "handler", "answer"))
	p.await("interval=50ms")
}

// TestServeKeepsTheRegistration checks that a gateway that is down when serve starts does not cost the node its URL and
// capabilities: serve waits until it can read them.
func TestServeKeepsTheRegistration(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	c, err := client.New("node-a", g.Options()...)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Register(t.Context(), client.RegisterRequest{URL: "http://a.example", Capabilities: map[string]any{"role": "worker"}})
	require.NoError(t, err)
	g.Store("node-b", "node-a", "question", "one")
	g.Fail(gatewaytest.GetPeer, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: -1})
	p := startProcess(t, command(t, g, "serve", "--", "handler", "answer"))
	p.await("mesh: warning: GET /peers/node-a: status 503")
	g.Heal()
	p.await("handler: 1 node-b question")
	peer, err := c.GetPeer(t.Context(), "node-a")
	require.NoError(t, err)
	assert.Equal(t, "http://a.example", peer.GetURL())
	assert.Equal(t, map[string]any{"role": "worker"}, peer.Capabilities)
}

// TestServeBoundsTheOutput checks that a command that prints without an end fails, and does not fill the memory.
func TestServeBoundsTheOutput(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startProcess(t, command(t, g, "serve", "--max-attempts", "1", "--", "handler", "flood"))
	p.await("given up after attempt 1: handler: it printed more than 1048576 bytes; an answer has at most 200000 characters")
}

// TestServeDoesNotWaitForProgramsLeftBehind checks that a command that has ended well is not repeated because a program that it
// started holds its output open.
func TestServeDoesNotWaitForProgramsLeftBehind(t *testing.T) {
	t.Parallel()
	g, listener := newGatewayForTest(t), blocker(t)
	g.Store("node-b", "node-a", "question", "one")
	startProcess(t, command(t, g, "serve", "--max-attempts", "1", "--", "handler", "leave", listener.Addr().String()))
	conn, err := listener.Accept()
	require.NoError(t, err)
	defer conn.Close()
	assert.Equal(t, "done", answer(t, g))
}

// answer waits for the first message to node-b and returns its content.
func answer(t *testing.T, g *gatewaytest.Gateway) string {
	t.Helper()
	m := firstMessage(t, g)
	return m.GetContent()
}

// firstMessage waits for the first message to node-b.
func firstMessage(t *testing.T, g *gatewaytest.Gateway) client.MeshMessage {
	t.Helper()
	c, err := client.New("node-b", g.Options()...)
	require.NoError(t, err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), processTime)
	defer cancel()
	for m, err := range c.Watch(ctx, client.WatchOptions{Interval: 100 * time.Millisecond}) {
		require.NoError(t, err)
		return m
	}
	t.Fatal("no message arrives")
	return client.MeshMessage{}
}

// TestServeKeepsTheTokenOfAFile checks that a command inherits the token of the environment, but with --token-file none at all.
func TestServeKeepsTheTokenOfAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(gatewayToken), 0o600))
	for want, flags := range map[string][]string{"has a token: true": nil, "has a token: false": {"--token-file", file}} {
		g := newGatewayForTest(t)
		g.Store("node-b", "node-a", "question", "one")
		startProcess(t, command(t, g, append(append([]string{"serve"}, flags...), "--", "handler", "token")...))
		assert.Equal(t, want, answer(t, g))
	}
}

// blocker accepts the connection of "handler block".
func blocker(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	require.NoError(t, listener.(*net.TCPListener).SetDeadline(time.Now().Add(processTime)))
	return listener
}
