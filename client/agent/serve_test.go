package agent_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// direct is a transport that calls a gateway's handler without a network, for virtual
// time. The gateway can be replaced, as by a restart with an empty database.
type direct struct {
	gateway atomic.Pointer[gatewaytest.Gateway]
}

func (d *direct) RoundTrip(req *http.Request) (*http.Response, error) {
	g := d.gateway.Load()
	if g == nil {
		return nil, errors.New("connection refused")
	}
	received := req.Clone(req.Context())
	if received.Body == nil {
		received.Body = http.NoBody // a server always has one
	}
	recorder := httptest.NewRecorder()
	g.Handler().ServeHTTP(recorder, received)
	return recorder.Result(), nil
}

// inMemory reaches a gateway without a network, for tests in virtual time.
func inMemory(g *gatewaytest.Gateway) []client.Option {
	d := new(direct)
	d.gateway.Store(g)
	return []client.Option{client.WithGatewayURL("http://gateway.test"), client.WithHTTPClient(&http.Client{Transport: d})}
}

// worker is a client of node-a whose gateway can be replaced.
func worker(t *testing.T, g *gatewaytest.Gateway, opts ...client.Option) (*client.MeshClient, *direct) {
	t.Helper()
	d := new(direct)
	d.gateway.Store(g)
	standard := []client.Option{client.WithGatewayURL("http://gateway.test"), client.WithToken(token), client.WithHTTPClient(&http.Client{Transport: d})}
	c, err := client.New("node-a", append(standard, opts...)...)
	require.NoError(t, err)
	return c, d
}

// emptyGateway is a gateway that only knows node-b.
func emptyGateway(t *testing.T) *gatewaytest.Gateway {
	t.Helper()
	return gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-b"))
}

// storeQuestions adds n unread messages to node-a's inbox, with ids 1 to n.
func storeQuestions(g *gatewaytest.Gateway, n int) {
	for range n {
		g.Store("node-b", "node-a", "question", "Is the build green?")
	}
}

// journal collects what a handler received and what OnError received.
type journal struct {
	mu      sync.Mutex
	handled []int64
	errors  []error
	failed  []int64
}

func (j *journal) handle(_ context.Context, m client.MeshMessage) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.handled = append(j.handled, m.ID)
	return nil
}

func (j *journal) onError(m client.MeshMessage, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failed, j.errors = append(j.failed, m.ID), append(j.errors, err)
}

// unread counts node-a's unread messages.
func unread(t *testing.T, c *client.MeshClient) int {
	t.Helper()
	rows, err := c.Fetch(context.Background(), client.FetchOptions{UnreadOnly: true})
	require.NoError(t, err)
	return len(rows)
}

var register = &client.RegisterRequest{URL: "http://node-a:8787"}

func TestServeHandlesMessagesInOrderAndMarksThemRead(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	for range 5 {
		g.Store("node-b", "node-a", "question", "Is the build green?")
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{Register: register, OnError: j.onError}))
		assert.Equal(t, []int64{1, 2, 3, 4, 5}, j.handled)
		assert.Empty(t, j.errors)
		assert.Zero(t, unread(t, c))
	})
	assert.Len(t, g.Requests(gatewaytest.RegisterPeer), 1)
}

func TestServeRunsAtMostAsManyHandlersAsWorkers(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	for range 20 {
		g.Store("node-b", "node-a", "question", "Is the build green?")
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var running, most atomic.Int64
		handler := func(context.Context, client.MeshMessage) error {
			now := running.Add(1)
			for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
			}
			time.Sleep(time.Second)
			running.Add(-1)
			return nil
		}
		require.NoError(t, agent.Serve(ctx, c, handler, agent.ServeOptions{Workers: 3}))
		assert.EqualValues(t, 3, most.Load())
		assert.Zero(t, unread(t, c))
	})
}

func TestServeHasMoreWorkersThanMessages(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 2)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{Workers: 100, OnError: j.onError}))
		assert.ElementsMatch(t, []int64{1, 2}, j.handled)
		assert.Empty(t, j.errors)
	})
}

func TestServeRejectsInvalidOptions(t *testing.T) {
	g := emptyGateway(t)
	c := connect(t, g, "node-a")
	handler := new(journal).handle
	for name, call := range map[string]func() error{
		"nil handler":           func() error { return agent.Serve(t.Context(), c, nil, agent.ServeOptions{}) },
		"negative workers":      func() error { return agent.Serve(t.Context(), c, handler, agent.ServeOptions{Workers: -1}) },
		"negative max attempts": func() error { return agent.Serve(t.Context(), c, handler, agent.ServeOptions{MaxAttempts: -1}) },
		"negative limit": func() error {
			return agent.Serve(t.Context(), c, handler, agent.ServeOptions{Limit: -1})
		},
	} {
		var invalid *client.ValueError
		require.ErrorAs(t, call(), &invalid, name)
	}
	assert.Empty(t, g.Requests(), "nothing is sent")
}

func TestServeChecksEveryOptionBeforeItRegisters(t *testing.T) {
	g := emptyGateway(t)
	c := connect(t, g, "node-a")
	handler := new(journal).handle
	for name, opts := range map[string]agent.ServeOptions{
		"watch":        {Register: register, Interval: 5},
		"capabilities": {Register: &client.RegisterRequest{Capabilities: map[string]any{"load": math.NaN()}}},
	} {
		var invalid *client.ValueError
		require.ErrorAs(t, agent.Serve(t.Context(), c, handler, opts), &invalid, name)
	}
	var none context.Context
	assert.Equal(t, "ctx", valueError(t, agent.Serve(none, c, handler, agent.ServeOptions{})).Field)
	assert.Equal(t, "MeshClient", valueError(t, agent.Serve(t.Context(), new(client.MeshClient), handler, agent.ServeOptions{})).Field)
	assert.Empty(t, g.Requests(gatewaytest.RegisterPeer))
}
