//go:build unix

package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// interrupt does what ^C on a terminal does: it signals the whole process group.
func (p *process) interrupt() {
	p.t.Helper()
	require.NoError(p.t, syscall.Kill(-p.Process.Pid, syscall.SIGINT))
}

func startGroup(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return startProcess(t, cmd)
}

func TestInterruptEndsWatch(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "fyi", "one")
	p := startGroup(t, command(t, g, "inbox", "--watch"))
	assert.Regexp(t, `^1  node-b  fyi  .* UTC \(now\)  one$`, p.line())
	p.interrupt()
	assert.Equal(t, exit.Done, p.exit())
	assert.Empty(t, p.stderr.String())
}

func TestWatchPrintsOneObjectALine(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-c", "node-a", "fyi", "not of node-b")
	g.Store("node-b", "node-a", "question", "two\nlines")
	p := startGroup(t, command(t, g, "inbox", "--watch", "--from", "node-b", "-o", "json"))
	line := p.line()
	assert.Contains(t, line, `"content":"two\nlines"`)
	assert.NotContains(t, line, "not of node-b")
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, exit.Done, p.exit())
}

func TestWatchGoesOnAfterAnError(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 400})
	p := startGroup(t, command(t, g, "inbox", "--watch"))
	p.await("mesh: warning: GET /messages: status 400")
	p.interrupt()
	assert.Equal(t, exit.Done, p.exit())
}

func TestInterruptEndsGateway(t *testing.T) {
	t.Parallel()
	cmd := command(t, newGatewayForTest(t), "gateway", "--listen", "127.0.0.1:0", "--token", gatewayToken, "--peer", "node-c")
	p := startGroup(t, cmd)
	assert.Equal(t, "# An in-memory gateway for development. All data is lost when it ends. Clients need its token (MESH_GATEWAY_TOKEN or --token-file).", p.line())
	url, ok := strings.CutPrefix(p.line(), "export MESH_GATEWAY_URL=")
	require.True(t, ok)
	c, err := client.New("node-a", client.WithGatewayURL(url), client.WithToken(gatewayToken))
	require.NoError(t, err)
	defer c.Close()
	peers, err := c.ListPeers(t.Context())
	require.NoError(t, err)
	require.Len(t, peers, 1)
	assert.Equal(t, "node-c", peers[0].Name)
	p.interrupt()
	assert.Equal(t, exit.Done, p.exit())
	_, err = c.ListPeers(t.Context())
	require.Error(t, err, "the gateway is gone")
}

// The token comes from --token-file or from MESH_GATEWAY_TOKEN.
func TestGatewayTakesTheToken(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("the-token-of-the-file\r\n"), 0o600))
	for token, flags := range map[string][]string{"the-token-of-the-file": {"--token-file", file}, gatewayToken: nil} {
		p := startGroup(t, command(t, newGatewayForTest(t), append([]string{"gateway", "--listen", "127.0.0.1:0", "-o", "json"}, flags...)...))
		var started struct{ URL string }
		require.NoError(t, json.Unmarshal([]byte(p.line()), &started))
		for given, accepted := range map[string]bool{token: true, "another": false} {
			c, err := client.New("node-a", client.WithGatewayURL(started.URL), client.WithToken(given))
			require.NoError(t, err)
			_, err = c.ListPeers(t.Context())
			assert.Equal(t, accepted, err == nil, "%v: %v", flags, err)
			c.Close()
		}
		p.interrupt()
		assert.Equal(t, exit.Done, p.exit())
	}
}

func TestGatewayMakesAToken(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/token"
	p := startGroup(t, command(t, newGatewayForTest(t), "gateway", "--listen", "127.0.0.1:0", "--token-out", file))
	p.line()
	url, _ := strings.CutPrefix(p.line(), "export MESH_GATEWAY_URL=")
	token, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(token), 26)
	assert.NotContains(t, string(token), gatewayToken, "a new one")
	c, err := client.New("node-a", client.WithGatewayURL(url), client.WithToken("another"))
	require.NoError(t, err)
	defer c.Close()
	_, err = c.ListPeers(t.Context())
	var refused *client.MeshAuthError
	require.ErrorAs(t, err, &refused)

	other := startGroup(t, command(t, newGatewayForTest(t), "gateway", "--listen", "127.0.0.1:0", "--token-out", file))
	other.line()
	other.line()
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(token), string(kept), "the first gateway's clients still use the file")
	other.interrupt()
	assert.Equal(t, exit.Done, other.exit())

	address, _ := strings.CutSuffix(strings.TrimPrefix(url, "http://"), "/gateway")
	for name, flag := range map[string]string{"gateway": "--listen", "providers": "--listen"} {
		used := startGroup(t, command(t, newGatewayForTest(t), name, flag, address))
		assert.Equal(t, exit.Usage, used.exit())
		assert.Contains(t, used.stderr.String(), "address already in use; another mesh may run there; "+flag+" 127.0.0.1:0 selects a free port\n")
	}
	p.interrupt()
	assert.Equal(t, exit.Done, p.exit())
}

func TestInterruptedAskNamesPending(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t, gatewaytest.WithPeers("node-a"))
	polled := firstPoll(g)
	p := startGroup(t, command(t, g, "ask", "node-b", "Is it green?"))
	awaitPoll(t, polled)
	p.interrupt()
	assert.Equal(t, exit.Interrupted, p.exit())
	assert.Equal(t, "mesh: warning: node-b has not answered question 1\n", p.stderr.String())
}

// The interrupt cancels the request that's sending the question.
func TestInterruptedAskNamesAQuestionThatMayHaveArrived(t *testing.T) {
	t.Parallel()
	g, sending := newGatewayForTest(t, gatewaytest.WithPeers("node-a")), make(chan struct{})
	g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation != gatewaytest.SendMessage {
			return nil
		}
		close(sending)
		return &gatewaytest.Fault{Delay: time.Hour}
	})
	p := startGroup(t, command(t, g, "ask", "node-b", "Is it green?"))
	<-sending
	p.interrupt()
	assert.Equal(t, exit.Interrupted, p.exit())
	assert.Regexp(t, `^mesh: warning: no receipt for a question to node-b: POST /messages: the message may have been delivered: `, p.stderr.String())
}

// sentAtOnce reports false if this process paused too long between its two signals for
// serve to take them as one.
func sentAtOnce(t *testing.T) bool {
	t.Helper()
	g, listener := newGatewayForTest(t), blocker(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startGroup(t, command(t, g, "serve", "--", "handler", "block", listener.Addr().String()))
	conn, err := listener.Accept()
	require.NoError(t, err)
	began := time.Now()
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	p.await("^C again kills them")
	require.NoError(t, syscall.Kill(-p.Process.Pid, syscall.SIGTERM))
	if time.Since(began) > time.Second/2 { // half the time in which two signals count as one
		_ = conn.Close()
		return false
	}
	assert.False(t, isGone(t, conn))
	require.NoError(t, conn.Close(), "the handler keeps running")
	assert.Equal(t, exit.Done, p.exit())
	assert.Equal(t, []string{"done after all"}, answers(t, g))
	return true
}

// A signal must end the session even during mesh_wait.
func TestInterruptEndsAWaitingAgent(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		g := newGatewayForTest(t)
		polled := firstPoll(g)
		cmd := command(t, g, "mcp")
		in, err := cmd.StdinPipe() // stays open
		require.NoError(t, err)
		p := startGroup(t, cmd)
		for _, message := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mesh_wait","arguments":{"seconds":60}}}`,
		} {
			_, err := io.WriteString(in, message+"\n")
			require.NoError(t, err)
		}
		p.line() // the answer to initialize
		awaitPoll(t, polled)
		require.NoError(t, p.Process.Signal(signal))
		assert.Equal(t, exit.Done, p.exit())
		assert.Less(t, len(g.Requests(gatewaytest.ListMessages)), 30, "a full wait polls 60 times")
	}
}

// answers returns the message contents in node-b's inbox.
func answers(t *testing.T, g *gatewaytest.Gateway) []string {
	t.Helper()
	contents := []string{}
	for _, m := range fetch(t, g, client.FetchOptions{ToNode: "node-b"}) {
		contents = append(contents, m.GetContent())
	}
	return contents
}

// mesh usage copies stdin to a temporary file, which a signal must not leave behind.
func TestSignalsLeaveNoCopyOfStdin(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGPIPE} {
		temporary := t.TempDir()
		cmd := command(t, newGatewayForTest(t), "usage", "-")
		cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
		stdin, err := cmd.StdinPipe()
		require.NoError(t, err)
		p := startGroup(t, cmd)
		copies := func() []string {
			names, err := filepath.Glob(filepath.Join(temporary, "*"))
			require.NoError(t, err)
			return names
		}
		for len(copies()) == 0 {
			_, err := io.WriteString(stdin, "{}\n") // blocks if the command doesn't read
			require.NoError(t, err)
		}
		require.NoError(t, p.Process.Signal(s))
		p.exit()
		status, ok := p.ProcessState.Sys().(syscall.WaitStatus)
		require.True(t, ok)
		switch s {
		case syscall.SIGPIPE:
			assert.Equal(t, 128+int(s), status.ExitStatus(), s)
		case syscall.SIGQUIT, syscall.SIGABRT: // the runtime prints the goroutines and exits
			assert.NotZero(t, status, s)
		default:
			assert.Equal(t, s, status.Signal(), s)
		}
		assert.Empty(t, copies(), s)
	}
}
