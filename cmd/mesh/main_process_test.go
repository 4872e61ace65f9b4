// Helpers that start mesh, for tests in several files.

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// process is a mesh command that runs until it's interrupted.
type process struct {
	*exec.Cmd
	t      *testing.T
	stdout *bufio.Reader
	stderr *buffer
}

// command returns a mesh command for node-a at g.
func command(t *testing.T, g *gatewaytest.Gateway, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "mesh", args...) // a cleanup ends it
	cmd.Env = append(os.Environ(), "MESH_NODE=node-a", "MESH_GATEWAY_URL="+g.URL, "MESH_GATEWAY_TOKEN="+gatewayToken, "XDG_CONFIG_HOME="+t.TempDir())
	return cmd
}

func newGatewayForTest(t *testing.T, opts ...gatewaytest.Option) *gatewaytest.Gateway {
	t.Helper()
	return gatewaytest.New(t, append(opts, gatewaytest.WithToken(gatewayToken), gatewaytest.WithPeers("node-b"))...)
}

// processTime limits how long a process may run. No test needs a tenth as long.
const processTime = 2 * time.Minute

func startProcess(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: cmd, t: t, stderr: newBuffer()}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	p.stdout = bufio.NewReader(out)
	errs, writer, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stderr = writer
	err = cmd.Start()
	require.NoError(t, errors.Join(err, writer.Close()))
	go p.stderr.read(errs)
	tooLate := time.AfterFunc(processTime, func() { // programs it left behind can hold the pipes open
		_ = p.Process.Kill()
		_, _ = out.Close(), errs.Close()
	})
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
		tooLate.Stop()
		_ = errs.Close()
	})
	return p
}

// line returns stdout's next line.
func (p *process) line() string {
	p.t.Helper()
	text, err := p.stdout.ReadString('\n')
	require.NoError(p.t, err, "%s", p.stderr)
	return strings.TrimSuffix(text, "\n")
}

// await waits until the process has written text to stderr. It fails the test if the
// process ends first.
func (p *process) await(text string) {
	p.t.Helper()
	require.True(p.t, p.stderr.await(text), "the process ended without writing %q:\n%s", text, p.stderr)
}

// exit waits for the end and returns the exit status, -1 if the process was killed.
func (p *process) exit() int {
	p.t.Helper()
	_ = p.Wait()
	p.stderr.awaitEnd()
	return p.ProcessState.ExitCode()
}

// buffer collects a process's output.
type buffer struct {
	mu      sync.Mutex
	changed *sync.Cond
	text    bytes.Buffer
	ended   bool
}

func newBuffer() *buffer {
	b := new(buffer)
	b.changed = sync.NewCond(&b.mu)
	return b
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed.Broadcast()
	return b.text.Write(p)
}

func (b *buffer) read(r io.Reader) {
	_, _ = io.Copy(b, r)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.changed.Broadcast()
}

// await waits for text or the end, and reports whether text was written.
func (b *buffer) await(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.ended && !strings.Contains(b.text.String(), text) {
		b.changed.Wait()
	}
	return strings.Contains(b.text.String(), text)
}

func (b *buffer) awaitEnd() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.ended {
		b.changed.Wait()
	}
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// newProviders starts providers and returns the variable that leads a command to them.
func newProviders(t *testing.T) string {
	t.Helper()
	return "MESH_PROVIDERS_URL=" + discoverytest.New(t).URL
}

// firstPoll returns a channel that closes when the gateway gets a request for messages.
func firstPoll(g *gatewaytest.Gateway) <-chan struct{} {
	polled := make(chan struct{})
	closeOnce := sync.OnceFunc(func() { close(polled) })
	g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation == gatewaytest.ListMessages {
			closeOnce()
		}
		return nil
	})
	return polled
}

func awaitPoll(t *testing.T, polled <-chan struct{}) {
	t.Helper()
	select {
	case <-polled:
	case <-time.After(processTime):
		t.Fatal("the process does not poll")
	}
}

// unread returns node-a's unread messages.
func unread(t *testing.T, g *gatewaytest.Gateway) []client.MeshMessage {
	t.Helper()
	return fetch(t, g, client.FetchOptions{UnreadOnly: true})
}

func fetch(t *testing.T, g *gatewaytest.Gateway, opts client.FetchOptions) []client.MeshMessage {
	t.Helper()
	c, err := client.New("node-a", g.Options()...)
	require.NoError(t, err)
	defer c.Close()
	messages, err := c.Fetch(t.Context(), opts)
	require.NoError(t, err)
	return messages
}
