package agent_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// notSender requires that err says that the client's own node is not registered.
func notSender(t *testing.T, err error, node string) {
	t.Helper()
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, &client.NotInRegistryError{Name: node, Sender: true}, unknown)
	require.ErrorContains(t, err, `"`+node+`" is not registered or not enabled: this node cannot receive answers`)
}

func TestAskFailsAtOnceWithoutARegistration(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	g.Store("node-b", "node-a", "question", "stored for nobody")
	c := connect(t, g, "node-a")
	_, err := agent.Ask(t.Context(), c, client.SendRequest{To: "node-b", Content: "Are you ready?"})
	notSender(t, err, "node-a")
	n := 0
	for _, err := range agent.AskAll(t.Context(), c, []string{"node-b", "node-c"}, client.SendRequest{Content: "Are you ready?"}) {
		notSender(t, err, "node-a")
		n++
	}
	assert.Equal(t, 1, n)
	assert.Empty(t, g.Requests(gatewaytest.OpenThread))
	assert.Empty(t, g.Requests(gatewaytest.SendMessage))

	_, err = c.Register(t.Context(), client.RegisterRequest{})
	require.NoError(t, err)
	g.Disable("node-a", true)
	_, err = agent.Ask(t.Context(), c, client.SendRequest{To: "node-b", Content: "Are you ready?"})
	notSender(t, err, "node-a")
}

// A node registered by another program may have an invalid name.
func TestAskByANodeWithAnInvalidName(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("Node D!", "node-b"))
	c := connect(t, g, "Node D!", client.WithoutSelfNameValidation())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := agent.Ask(ctx, c, client.SendRequest{To: "node-b", Content: "Are you ready?"})
	require.ErrorIs(t, err, context.Canceled)
}

// Ask waits while Serve registers the node at a gateway that isn't up yet.
func TestAskWaitsForTheRegistrationByServe(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, g, quiet())
		g.Fail(gatewaytest.RegisterPeer, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: 3})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		served := make(chan error, 1)
		ready := make(chan struct{})
		go func() {
			served <- agent.Serve(ctx, c, new(journal).handle, agent.ServeOptions{
				Kinds: []client.Kind{client.KindFYI}, Register: &client.RegisterRequest{}, OnReady: func() { close(ready) },
			})
		}()
		synctest.Wait()
		b := newClient(t, "node-b", client.WithGatewayURL("http://gateway.test"), client.WithToken(token), client.WithHTTPClient(&http.Client{Transport: d}))
		go func() {
			_ = agent.Answer(ctx, b, func(context.Context, client.MeshMessage) (string, error) { return "Yes.", nil }, agent.AnswerOptions{})
		}()
		gaveUp, stop := context.WithTimeout(ctx, time.Millisecond)
		defer stop()
		_, err := agent.Ask(gaveUp, c, client.SendRequest{To: "node-b", Content: "Are you ready?"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Empty(t, g.Requests(gatewaytest.SendMessage))

		answer, err := agent.Ask(ctx, c, client.SendRequest{To: "node-b", Content: "Are you ready?"})
		require.NoError(t, err)
		assert.Equal(t, "Yes.", answer.GetContent())
		<-ready
		cancel()
		require.NoError(t, <-served)
	})
	assert.Contains(t, g.Requests(gatewaytest.RegisterPeer)[3].Body, `"url":"http://node-a:8787"`)
}

func TestServeIsReadyAfterTheFirstPoll(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: 3})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		var polls []int
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{
			Register: &client.RegisterRequest{}, OnError: j.onError,
			OnReady: func() { polls = append(polls, len(g.Requests(gatewaytest.ListMessages))) },
		}))
		assert.Equal(t, []int{4}, polls, "once, after the first poll that succeeds")
		assert.Len(t, j.errors, 3)
	})
}

func TestServeWarnsOnceWithoutARegistration(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		peers    []gatewaytest.Option
		opts     agent.ServeOptions
		warnings int
	}{
		"unregistered":        {nil, agent.ServeOptions{}, 1},
		"registered before":   {[]gatewaytest.Option{gatewaytest.WithPeers("node-a")}, agent.ServeOptions{}, 0},
		"registered by Serve": {nil, agent.ServeOptions{Register: register}, 0},
	} {
		g := gatewaytest.New(t, append(test.peers, gatewaytest.WithToken(token))...)
		synctest.Test(t, func(t *testing.T) {
			var log strings.Builder
			c, _ := worker(t, g, client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			require.NoError(t, agent.Serve(ctx, c, new(journal).handle, test.opts))
			assert.Equal(t, test.warnings, strings.Count(log.String(), "set ServeOptions.Register"), name)
			assert.Equal(t, test.warnings, strings.Count(log.String(), "\n"), name)
		})
	}
}
