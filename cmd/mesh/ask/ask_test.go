package ask

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

const token = "example-token"

func TestMain(m *testing.M) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt) // starts package signal's goroutine outside the bubbles
	signal.Stop(signals)
	os.Exit(m.Run())
}

// connect returns a client for g in a bubble.
func connect(t *testing.T, g *gatewaytest.Gateway, node string) *client.MeshClient {
	t.Helper()
	c, err := client.New(node, client.WithGatewayURL("http://gateway.test"), client.WithToken(token), client.WithLogger(slog.New(slog.DiscardHandler)),
		client.WithHTTPClient(&http.Client{Transport: nettest.Pipe(t, g.Handler())}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		node   string
		args   []string
		plain  bool
		out    string // a regular expression
		errs   []string
		err    string
		status int
	}{
		"an answer": {"node-a", []string{"node-b", "-"}, false, `(?s)^answer 2 from node-b, .* \(now\), thread \S+\n\n    YES: TEXT OF STDIN\n\n$`, nil, "", exit.Done},
		"its text":  {"node-a", []string{"node-b", "Is it green?"}, true, `^YES: IS IT GREEN\?\n$`, nil, "", exit.Done},
		"a missing answer": {"node-a", []string{"node-b", "node-c", "node-x", "And you?"}, false, `YES: AND YOU\?`, []string{
			"mesh: warning: node-c has not answered question 2 within 2s\n",
			`mesh: warning: "node-x" is not registered`,
		}, "exit status 1", exit.Found},
		"nobody can answer": {"node-a", []string{"node-x", "node-y", "hello"}, false, "^$", []string{`"node-x" is not registered`}, `"node-y" is not registered`, exit.Refused},
		"not registered": {
			"node-z", []string{"node-b", "hello"}, false, "^$", nil,
			"is not registered or not enabled: this node cannot receive answers", exit.Refused,
		},
		"two nodes": {"node-a", []string{"node-b", "node-c", "hello"}, true, "^$", nil, "--plain takes one NODE", exit.Usage},
	} {
		g := gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b", "node-c"))
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			answering, ended := connect(t, g, "node-b"), make(chan error, 1)
			go func() {
				ended <- agent.Answer(ctx, answering, func(_ context.Context, m client.MeshMessage) (string, error) {
					return strings.ToUpper("yes: " + m.GetContent()), nil
				}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Interval: 100 * time.Millisecond}})
			}()
			var out, errs bytes.Buffer
			o := &Options{App: &app.App{
				In: strings.NewReader("text of stdin\n"), Out: &out, Errs: &errs, Client: connect(t, g, c.node), Args: c.args,
				Token: func() (string, error) { return token, nil },
			}, plain: c.plain, timeout: 2 * time.Second}
			err := o.run(ctx)
			assert.Equal(t, c.status, exit.Code(err), "%s: %v", name, err)
			if c.err != "" {
				assert.ErrorContains(t, err, c.err, name)
			}
			assert.Regexp(t, c.out, out.String(), name)
			for _, line := range c.errs {
				assert.Contains(t, errs.String(), line, name)
			}
			cancel()
			require.NoError(t, <-ended)
		})
	}
}

// The terminal shows which nodes haven't answered yet.
func TestRunShowsForWhomItWaits(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b", "node-c"))
	synctest.Test(t, func(t *testing.T) {
		var terminal bytes.Buffer
		o := &Options{App: &app.App{
			Out: io.Discard, Errs: &bytes.Buffer{}, Client: connect(t, g, "node-a"), Args: []string{"node-b", "node-c", "Is it green?"},
			Token: func() (string, error) { return token, nil },
		}, timeout: 20 * time.Second}
		o.Progress.W = &terminal
		c := connect(t, g, "node-b")
		go func() {
			time.Sleep(5 * time.Second)
			rows, err := c.Fetch(t.Context(), client.FetchOptions{})
			assert.NoError(t, err)
			_, err = c.Reply(t.Context(), rows[0], client.SendRequest{Content: "Yes."})
			assert.NoError(t, err)
		}()
		require.ErrorIs(t, o.run(t.Context()), exit.ErrFound)
		synctest.Wait()
		assert.Contains(t, terminal.String(), "waiting for node-b, node-c, 3s of 20s\r")
		assert.Contains(t, terminal.String(), "waiting for node-c, 12s of 20s\r")
		assert.True(t, strings.HasSuffix(terminal.String(), "\r\x1b[K"))
	})
}

// The question is asked in --thread. A refused question must not create the thread.
func TestRunInThread(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b"))
	synctest.Test(t, func(t *testing.T) {
		var errs bytes.Buffer
		c := connect(t, g, "node-a")
		o := &Options{App: &app.App{
			Errs: &errs, Client: c, Args: []string{"node-b", "Is it green?"}, Token: func() (string, error) { return token, nil },
		}, thread: "builds", timeout: time.Minute}
		require.ErrorIs(t, o.run(t.Context()), exit.ErrFound)
		assert.Equal(t, "mesh: warning: node-b has not answered question 1 within 1m0s\n", errs.String())
		builds, found, err := c.FindThread(t.Context(), "builds")
		require.NoError(t, err)
		require.True(t, found)
		pending, err := agent.Pending(t.Context(), c, agent.PendingOptions{})
		require.NoError(t, err)
		require.Len(t, pending, 1)
		assert.Equal(t, builds.ID, pending[0].GetThreadID())

		o.Args[1], o.thread = "sk-ant-"+strings.Repeat("a", 40), "other"
		assert.Equal(t, exit.Refused, exit.Code(o.run(t.Context())))
		_, found, err = c.FindThread(t.Context(), "other")
		require.NoError(t, err)
		assert.False(t, found)
		o.timeout = 0
		require.ErrorContains(t, o.run(t.Context()), "--timeout must be positive")
	})
}
