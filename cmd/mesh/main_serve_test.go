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

// TestServeTellsTheAskerOfACredential checks that the asker does not wait for an answer that is refused.
func TestServeTellsTheAskerOfACredential(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startProcess(t, command(t, g, "serve", "--", "handler", "leak"))
	p.await("message 1 from node-b: the answer was refused, and the sender was told so: the message contains a credential and is not sent")
	p.await("To send a false positive, use mesh serve --allow-rule 2.\n")
	assert.Equal(t, "There is an answer, but it was not sent: it seems to contain a credential (rule 2, anthropic-api-key).", answer(t, g))
}

func TestServeAllowsARule(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "question", "one")
	startProcess(t, command(t, g, "serve", "--allow-rule", "2,4", "--", "handler", "leak"))
	assert.Equal(t, "sk-ant-"+strings.Repeat("a", 40), answer(t, g))
	startProcess(t, command(t, g, "serve", "--allow-rule", "99", "--", "handler", "leak")).await("mesh: --allow-rule 99 must be 1 to")
}

// TestServeRunsOnceInAnOutage checks that a command is not run again because its answer cannot be sent.
func TestServeRunsOnceInAnOutage(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "question", "one")
	g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation == gatewaytest.GetPeer && strings.HasSuffix(r.Path, "/node-b") { // just before the command
			go g.FailIf(func(gatewaytest.Request) *gatewaytest.Fault { return &gatewaytest.Fault{Status: http.StatusBadGateway} })
		}
		return nil
	})
	p := startProcess(t, command(t, g, "serve", "--interval", "100ms", "--", "handler", "answer"))
	p.await("message 1 from node-b: the answer is not delivered: ")
	p.await("mesh: warning: GET /messages: status 502")
	g.Heal()
	p.await("mesh: message 1 from node-b: answered with message 2\n")
	assert.Equal(t, 1, strings.Count(p.stderr.String(), "handler: 1 node-b question"))
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

// TestCommandIsTheSameNode checks that a command of serve has the node, the gateway and the token of serve. The token of a file stays
// out of its environment.
func TestCommandIsTheSameNode(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(gatewayToken), 0o600))
	for name, c := range map[string]struct {
		flags, env []string
		want       string
	}{
		"the environment": {nil, nil, "node-a URL true"},
		"flags": {
			[]string{"--node", "node-d", "--token-file", file},
			[]string{"MESH_NODE=node-x", "MESH_GATEWAY_TOKEN=another-token-of-the-test"}, "node-d URL false " + file,
		},
		"a token file":        {nil, []string{"MESH_TOKEN_FILE=" + file, "MESH_GATEWAY_TOKEN=another-token-of-the-test"}, "node-a URL false " + file},
		"a flag above a file": {[]string{"--token-file", file}, []string{"MESH_TOKEN_FILE=/nowhere"}, "node-a URL false " + file},
	} {
		g := newGatewayForTest(t)
		for _, node := range []string{"node-a", "node-d"} {
			g.Store("node-b", node, "question", "one")
		}
		cmd := command(t, g, append(append([]string{"serve"}, c.flags...), "--", "handler", "identity")...)
		cmd.Env = append(cmd.Env, c.env...)
		startProcess(t, cmd)
		assert.Equal(t, strings.Replace(c.want, "URL", g.URL, 1), answer(t, g), name)
	}
}

func TestTokenFileVariableMustBeAbsolute(t *testing.T) {
	t.Parallel()
	cmd := command(t, newGatewayForTest(t), "peers")
	cmd.Env = append(cmd.Env, "MESH_TOKEN_FILE=token")
	p := startProcess(t, cmd)
	p.await("mesh: MESH_TOKEN_FILE must be an absolute path\n")
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
