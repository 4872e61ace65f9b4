package client_test

import (
	"context"
	"errors"
	"net"
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
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// direct is a transport that calls the handler of a gateway without a network, so that time can be virtual. The gateway can be
// replaced, as by a restart with an empty database.
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

// emptyGateway is a gateway that knows node-b alone.
func emptyGateway(t *testing.T) *gatewaytest.Gateway {
	t.Helper()
	return gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-b"))
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

// unread returns how many messages of node-a are unread.
func unread(t *testing.T, c *client.MeshClient) int {
	t.Helper()
	rows, err := c.Fetch(context.Background(), client.FetchOptions{UnreadOnly: true})
	require.NoError(t, err)
	return len(rows)
}

var register = &client.RegisterRequest{URL: "http://node-a:8787"}

func TestServeHandlesMessagesInOrderAndMarksThemRead(t *testing.T) {
	g := emptyGateway(t)
	for range 5 {
		g.Store("node-b", "node-a", "question", "Is the build green?")
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{Register: register, OnError: j.onError}))
		assert.Equal(t, []int64{1, 2, 3, 4, 5}, j.handled)
		assert.Empty(t, j.errors)
		assert.Zero(t, unread(t, c))
	})
	assert.Len(t, g.Requests(gatewaytest.RegisterPeer), 1)
}

func TestServeRepeatsAFailedMessageAndGivesItUp(t *testing.T) {
	g := emptyGateway(t)
	bad := g.Store("node-b", "node-a", "question", "impossible")
	good := g.Store("node-b", "node-a", "question", "possible")
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var j journal
		var attempts []time.Time
		errImpossible := errors.New("impossible")
		handler := func(ctx context.Context, m client.MeshMessage) error {
			_ = j.handle(ctx, m)
			if m.ID == bad {
				attempts = append(attempts, time.Now())
				return errImpossible
			}
			return nil
		}
		require.NoError(t, c.Serve(ctx, handler, client.ServeOptions{MaxAttempts: 4, OnError: j.onError}))
		require.Len(t, attempts, 4)
		for i := range 3 {
			pause, longest := attempts[i+1].Sub(attempts[i]), time.Second<<i
			assert.GreaterOrEqual(t, pause, longest/2, "pause %d", i+1)
			assert.Less(t, pause, longest, "pause %d", i+1)
		}
		assert.Equal(t, []int64{bad}, j.failed)
		require.ErrorIs(t, j.errors[0], errImpossible)
		assert.Contains(t, j.handled, good)
		assert.Equal(t, 1, unread(t, c), "the message that was given up stays unread")
	})
}

func TestServeDoesNotRunTheHandlerAgainWhenTheMarkFails(t *testing.T) {
	g := emptyGateway(t)
	g.Store("node-b", "node-a", "question", "Is the build green?")
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: 2})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError}))
		assert.Len(t, j.handled, 1)
		assert.Empty(t, j.errors)
		assert.Zero(t, unread(t, c))
	})
}

func TestServeWaitsForRunningHandlersWhenItsContextEnds(t *testing.T) {
	g := emptyGateway(t)
	for range 3 {
		g.Store("node-b", "node-a", "question", "Is the build green?")
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithCancel(t.Context())
		finished := 0
		handler := func(handlerCtx context.Context, _ client.MeshMessage) error {
			cancel()
			time.Sleep(time.Second)
			finished++
			return handlerCtx.Err()
		}
		require.NoError(t, c.Serve(ctx, handler, client.ServeOptions{}))
		assert.Equal(t, 1, finished, "no further handler starts")
		assert.Equal(t, 2, unread(t, c), "the handler that ran to its end is marked")
	})
}

func TestServeRunsAtMostAsManyHandlersAsWorkers(t *testing.T) {
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
		require.NoError(t, c.Serve(ctx, handler, client.ServeOptions{Workers: 3}))
		assert.EqualValues(t, 3, most.Load())
		assert.Zero(t, unread(t, c))
	})
}

func TestServeRegistersAgainAfterTheGatewayLostItsDatabase(t *testing.T) {
	before, after := emptyGateway(t), emptyGateway(t)
	before.Store("node-b", "node-a", "question", "before")
	after.Store("node-b", "node-a", "question", "after")
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, before)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		time.AfterFunc(time.Minute+time.Second, func() { d.gateway.Store(nil) })
		time.AfterFunc(2*time.Minute, func() { d.gateway.Store(after) })
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{Register: register, OnError: j.onError}))
		assert.Equal(t, []int64{1, 1}, j.handled, "the new database counts from 1 again")
		assert.NotEmpty(t, j.errors, "the outage is reported")
		peers, err := c.ListPeers(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "node-a", peers[0].Name)
	})
	assert.Len(t, after.Requests(gatewaytest.RegisterPeer), 1)
}

// The mark of a message that its handler finished late would be the mark of another message in a new database.
func TestServeDoesNotMarkAMessageOfAnEarlierDatabase(t *testing.T) {
	before, after := emptyGateway(t), emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		before.Store("node-b", "node-a", "question", "before")
		c, d := worker(t, before)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		attempts := make(map[string]int)
		handler := func(_ context.Context, m client.MeshMessage) error {
			attempts[m.GetContent()]++
			if attempts["before"] == 2 && m.GetContent() == "before" {
				return nil
			}
			if attempts["after"] == 0 {
				time.Sleep(time.Millisecond) // the time of the new message is later
				after.Store("node-b", "node-a", "question", "after")
				d.gateway.Store(after)
			}
			return errors.New("later")
		}
		options := client.ServeOptions{Watch: client.WatchOptions{Interval: 100 * time.Millisecond}}
		require.NoError(t, c.Serve(ctx, handler, options))
		assert.Equal(t, 2, attempts["before"])
		assert.Greater(t, attempts["after"], 1)
		assert.Equal(t, 1, unread(t, c), "no handler has succeeded for it")
	})
}

// Serve knows of the new database while its only worker is still busy.
func TestServeNoticesANewDatabaseWhileAllWorkersAreBusy(t *testing.T) {
	before, after := emptyGateway(t), emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		before.Store("node-b", "node-a", "question", "before")
		c, d := worker(t, before)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		time.AfterFunc(time.Second, func() {
			after.Store("node-b", "node-a", "question", "after")
			d.gateway.Store(after)
		})
		handler := func(_ context.Context, m client.MeshMessage) error {
			if m.GetContent() == "before" {
				time.Sleep(5 * time.Second)
				return nil
			}
			return errors.New("later")
		}
		require.NoError(t, c.Serve(ctx, handler, client.ServeOptions{Watch: client.WatchOptions{Interval: 100 * time.Millisecond}}))
		assert.Equal(t, 1, unread(t, c), "no handler has succeeded for it")
	})
	assert.Empty(t, after.Requests(gatewaytest.MarkMessageRead))
}

func TestServeWaitsForAGatewayThatIsNotThereYet(t *testing.T) {
	g := emptyGateway(t)
	g.Store("node-b", "node-a", "question", "Is the build green?")
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		time.AfterFunc(time.Minute, func() { d.gateway.Store(g) })
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{Register: register, OnError: j.onError}))
		assert.Len(t, j.handled, 1)
		assert.NotEmpty(t, j.errors)
	})
}

func TestServeRepeatsARegistrationThatIsRateLimited(t *testing.T) {
	g := emptyGateway(t)
	g.Store("node-b", "node-a", "question", "Is the build green?")
	g.Fail(gatewaytest.RegisterPeer, gatewaytest.Fault{Status: http.StatusTooManyRequests})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{Register: register, OnError: j.onError}))
		assert.Len(t, j.handled, 1)
		require.Len(t, j.errors, 1)
		assert.Equal(t, 429, gatewayError(t, j.errors[0]).StatusCode)
	})
}

func TestServeReturnsARejectedRegistration(t *testing.T) {
	g := emptyGateway(t)
	c := connect(t, g, "node-a", client.WithToken("another.token.of.the.tests"))
	err := c.Serve(t.Context(), new(journal).handle, client.ServeOptions{Register: register})
	var auth *client.MeshAuthError
	require.ErrorAs(t, err, &auth)
	assert.Empty(t, g.Requests(gatewaytest.ListMessages))
}

func TestServeRejectsInvalidOptions(t *testing.T) {
	g := emptyGateway(t)
	c := connect(t, g, "node-a")
	handler := new(journal).handle
	for name, call := range map[string]func() error{
		"nil handler":           func() error { return c.Serve(t.Context(), nil, client.ServeOptions{}) },
		"negative workers":      func() error { return c.Serve(t.Context(), handler, client.ServeOptions{Workers: -1}) },
		"negative max attempts": func() error { return c.Serve(t.Context(), handler, client.ServeOptions{MaxAttempts: -1}) },
		"negative limit": func() error {
			return c.Serve(t.Context(), handler, client.ServeOptions{Watch: client.WatchOptions{Limit: -1}})
		},
	} {
		var invalid *client.ValueError
		require.ErrorAs(t, call(), &invalid, name)
	}
	assert.Empty(t, g.Requests(), "nothing is sent")
}

func TestServeEndsWhenTheClientIsClosed(t *testing.T) {
	g := emptyGateway(t)
	g.Store("node-b", "node-a", "question", "Is the build green?")
	c := connect(t, g, "node-a")
	err := c.Serve(t.Context(), func(context.Context, client.MeshMessage) error { return c.Close() }, client.ServeOptions{})
	require.ErrorIs(t, err, net.ErrClosed)
}
