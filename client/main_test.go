package client_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/methods"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// TestMain unsets the variables that the client reads, so that the tests do not depend on
// the environment.
func TestMain(m *testing.M) {
	os.Unsetenv("MESH_GATEWAY_TOKEN")
	os.Unsetenv("MESH_GATEWAY_URL")
	os.Exit(m.Run())
}

// token is the test gateways' token. It's long enough to be scanned for and matches no
// other rule.
const token = "example.token.of.the.tests"

// gateway is an in-memory gateway with three peers.
func gateway(t *testing.T, opts ...gatewaytest.Option) *gatewaytest.Gateway {
	t.Helper()
	standard := []gatewaytest.Option{gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b", "node-c")}
	return gatewaytest.New(t, append(standard, opts...)...)
}

// connect returns a node's client for g.
func connect(t *testing.T, g *gatewaytest.Gateway, node string, opts ...client.Option) *client.MeshClient {
	t.Helper()
	return newClient(t, node, append(g.Options(), opts...)...)
}

// piped returns a transport to g without a network, for tests in virtual time.
func piped(t *testing.T, g *gatewaytest.Gateway) *http.Transport {
	t.Helper()
	return nettest.Pipe(t, http.StripPrefix("/gateway", g.Handler()))
}

func newClient(t *testing.T, node string, opts ...client.Option) *client.MeshClient {
	t.Helper()
	c, err := client.New(node, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// answering returns a client for node-a whose server gives every request the same
// response.
func answering(t *testing.T, status int, contentType, body string, opts ...client.Option) *client.MeshClient {
	t.Helper()
	return servingInMemory(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}, opts...)
}

// serving returns a client for node-a whose server has the given handler.
func serving(t *testing.T, handler http.HandlerFunc, opts ...client.Option) *client.MeshClient {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newClient(t, "node-a", append([]client.Option{client.WithGatewayURL(server.URL), client.WithToken(token)}, opts...)...)
}

// servingInMemory is serving without a network, for tests in virtual time.
func servingInMemory(t *testing.T, handler http.HandlerFunc, opts ...client.Option) *client.MeshClient {
	t.Helper()
	own := []client.Option{client.WithGatewayURL("http://gateway.test"), client.WithToken(token), client.WithHTTPClient(&http.Client{Transport: nettest.Pipe(t, handler)})}
	return newClient(t, "node-a", append(own, opts...)...)
}

// operations calls every client operation once, with valid arguments.
var operations = withGateway(map[string]func(context.Context, *client.MeshClient) error{
	"ListPeers": func(ctx context.Context, c *client.MeshClient) error { _, err := c.ListPeers(ctx); return err },
	"Fetch": func(ctx context.Context, c *client.MeshClient) error {
		_, err := c.Fetch(ctx, client.FetchOptions{})
		return err
	},
	"Send": func(ctx context.Context, c *client.MeshClient) error {
		_, err := c.Send(ctx, hello("node-b"))
		return err
	},
	"GetMessage": func(ctx context.Context, c *client.MeshClient) error {
		_, err := agent.GetMessage(ctx, c, 1)
		return err
	},
	"MarkRead": func(ctx context.Context, c *client.MeshClient) error { return c.MarkRead(ctx, 7) },
	"GetPeer":  func(ctx context.Context, c *client.MeshClient) error { _, err := c.GetPeer(ctx, "node-b"); return err },
	"Reply": func(ctx context.Context, c *client.MeshClient) error {
		_, err := c.Reply(ctx, client.MeshMessage{ID: 7, FromNode: "node-b"}, client.SendRequest{Content: "done"})
		return err
	},
	"Ask": func(ctx context.Context, c *client.MeshClient) error {
		return briefly(ctx, func(ctx context.Context) error {
			_, err := agent.Ask(ctx, c, client.SendRequest{To: "node-b", Content: "hello"})
			return err
		})
	},
	"AskAll": func(ctx context.Context, c *client.MeshClient) error {
		return briefly(ctx, func(ctx context.Context) error {
			return last(agent.AskAll(ctx, c, []string{"node-b", "node-c"}, client.SendRequest{Content: "hello"}))
		})
	},
	"Await": func(ctx context.Context, c *client.MeshClient) error {
		return briefly(ctx, func(ctx context.Context) error {
			return last(agent.Await(ctx, c, client.MeshMessage{ID: 7, ToNode: "node-b"}))
		})
	},
	"Sent": func(ctx context.Context, c *client.MeshClient) error {
		_, err := c.Sent(ctx, client.SentOptions{})
		return err
	},
	"Pending": func(ctx context.Context, c *client.MeshClient) error {
		_, err := agent.Pending(ctx, c, agent.PendingOptions{})
		return err
	},
	"FindThread": func(ctx context.Context, c *client.MeshClient) error {
		_, _, err := c.FindThread(ctx, "node-a↔node-b:builds")
		return err
	},
	"Health": func(ctx context.Context, c *client.MeshClient) error { _, err := c.Health(ctx); return err },
	"Watch": func(ctx context.Context, c *client.MeshClient) error {
		for _, err := range agent.Watch(ctx, c, agent.WatchOptions{}) {
			return err
		}
		return ctx.Err()
	},
})

// withGateway adds package methods' operations.
func withGateway(all map[string]func(context.Context, *client.MeshClient) error) map[string]func(context.Context, *client.MeshClient) error {
	for _, m := range methods.Gateway {
		all[m.Name] = func(ctx context.Context, c *client.MeshClient) error { _, err := m.Call(ctx, c); return err }
	}
	return all
}

// briefly calls wait for a short time, which must be virtual if the result counts. It's
// no error if no answer arrives, or if the gateway lacks Await's question.
func briefly(ctx context.Context, wait func(context.Context) error) error {
	if ctx == nil {
		return wait(nil)
	}
	timeout := errors.New("nobody answers")
	ctx, cancel := context.WithTimeoutCause(ctx, 150*time.Millisecond, timeout)
	defer cancel()
	err := wait(ctx)
	if errors.Is(err, timeout) && !strings.Contains(err.Error(), "the last poll failed") || err != nil && strings.Contains(err.Error(), "lost the question") {
		return nil
	}
	return err
}

// last returns the last result's error.
func last(results iter.Seq2[client.MeshMessage, error]) (last error) {
	for _, err := range results {
		last = err
	}
	return last
}

// waits reports whether an operation ends when its context does, and not with the first
// failed request.
func waits(operation string) bool {
	return slices.Contains([]string{"Watch", "Ask", "AskAll", "Await"}, operation)
}

// threadID is the thread that GetThread reads.
const threadID = methods.ThreadID

func hello(to string) client.SendRequest {
	return client.SendRequest{To: to, Kind: client.KindFYI, Content: "hello"}
}

// gatewayError requires that err is a *MeshGatewayError and returns it.
func gatewayError(t *testing.T, err error) *client.MeshGatewayError {
	t.Helper()
	var failed *client.MeshGatewayError
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, client.ErrMesh)
	return failed
}

// valueError requires that err is a *ValueError and returns it.
func valueError(t *testing.T, err error) *client.ValueError {
	t.Helper()
	var invalid *client.ValueError
	require.ErrorAs(t, err, &invalid)
	require.ErrorIs(t, err, client.ErrMesh)
	return invalid
}

// quiet discards the log.
func quiet() client.Option { return client.WithLogger(slog.New(slog.DiscardHandler)) }

// long returns n copies of s.
func long(s string, n int) string { return strings.Repeat(s, n) }

const receipt = `{"id":1,"from_node":"node-a","to_node":"node-b","kind":"fyi","created_at":"2026-11-21T08:28:39+00:00"}`

// inProcess returns a client for node-a whose requests go to handler without a network,
// for tests in virtual time.
func inProcess(t *testing.T, handler http.HandlerFunc, opts ...client.Option) *client.MeshClient {
	t.Helper()
	return newClient(t, "node-a", append([]client.Option{
		client.WithGatewayURL("http://gateway"), client.WithToken(token), client.WithHTTPClient(&http.Client{Transport: nettest.Call(handler)}),
	}, opts...)...)
}

func ptr[T any](v T) *T { return &v }
