package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
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

// extendedKey is a credential that only the extended rules find.
const extendedKey = "hf_0123456789012345678901234567890123456789"

func TestServeSendsNoCredentialOfTheExtendedRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags  []string
		passes bool
	}{{nil, false}, {[]string{"--rules", "basic"}, true}} {
		g := newGatewayForTest(t)
		g.Store("node-b", "node-a", "question", "which key?")
		startProcess(t, command(t, g, slices.Concat([]string{"serve"}, c.flags, []string{"--", "handler", "say", extendedKey})...))
		sent := answer(t, g)
		if c.passes {
			assert.Equal(t, extendedKey, sent)
		} else {
			assert.NotContains(t, sent, extendedKey)
			assert.Contains(t, sent, "credential")
		}
	}
}

// The interval shows in the client's warning about short ones; measuring it would be a
// guess.
func TestServePollsAtAnInterval(t *testing.T) {
	t.Parallel()
	p := startProcess(t, command(t, newGatewayForTest(t), "serve", "--interval", "50ms", "--", "handler", "answer"))
	p.await("interval=50ms")
}

// A program left behind holds the command's output open. The command has succeeded, so it
// must not run again.
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
	for m, err := range agent.Watch(ctx, c, agent.WatchOptions{Interval: 100 * time.Millisecond}) {
		require.NoError(t, err)
		return m
	}
	t.Fatal("no message arrives")
	return client.MeshMessage{}
}

// A command under serve has serve's node, gateway and token. A token from a file stays
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

// blocker accepts the connection that "handler block" makes.
func blocker(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	require.NoError(t, listener.(*net.TCPListener).SetDeadline(time.Now().Add(processTime)))
	return listener
}
