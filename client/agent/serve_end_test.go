package agent_test

import (
	"context"
	"errors"
	"net"
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

func TestServeWaitsForRunningHandlersWhenItsContextEnds(t *testing.T) {
	t.Parallel()
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
		require.NoError(t, agent.Serve(ctx, c, handler, agent.ServeOptions{}))
		assert.Equal(t, 1, finished, "no further handler starts")
		assert.Equal(t, 2, unread(t, c), "the handler that ran to its end is marked")
	})
}

// Forged messages from the node itself need a mark each. Serve must not send them all
// before it ends.
func TestServeEndsAlthoughForgedMessagesAreNotMarked(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	for range 50 {
		g.Store("node-a", "node-a", "question", "forged")
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithCancel(t.Context())
		g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
			if r.Operation == gatewaytest.MarkMessageRead {
				cancel()
			}
			return nil
		})
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{OnError: j.onError}))
		assert.Empty(t, j.errors)
		assert.Len(t, g.Requests(gatewaytest.MarkMessageRead), 1)
	})
}

func TestServeLeavesAMessageThatWaitsForAnotherAttemptUnread(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 1)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithCancel(t.Context())
		var j journal
		begin := time.Now()
		require.NoError(t, agent.Serve(ctx, c, func(context.Context, client.MeshMessage) error {
			cancel()
			return errors.New("not yet")
		}, agent.ServeOptions{OnError: j.onError}))
		assert.Zero(t, time.Since(begin), "the pause ends")
		assert.Empty(t, j.errors, "the message was not given up")
		assert.Equal(t, 1, unread(t, c))
	})
}

func TestServeEndsWhenTheClientIsClosed(t *testing.T) {
	g := emptyGateway(t)
	g.Store("node-b", "node-a", "question", "Is the build green?")
	c := connect(t, g, "node-a")
	err := agent.Serve(t.Context(), c, func(context.Context, client.MeshMessage) error { return c.Close() }, agent.ServeOptions{})
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestCloseEndsServeAtOnce(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]agent.ServeOptions{
		"a handler that waits":            {},
		"a pause between polls":           {Workers: 9, Interval: time.Hour},
		"a pause between attempts":        {MaxAttempts: 9},
		"a registration that is repeated": {Register: register},
	} {
		g := emptyGateway(t)
		storeQuestions(g, 3)
		synctest.Test(t, func(t *testing.T) {
			c, d := worker(t, g)
			if opts.Register != nil {
				d.gateway.Store(nil)
			}
			begin := time.Now()
			time.AfterFunc(time.Minute+time.Second, func() { assert.NoError(t, c.Close()) })
			var handled atomic.Int64
			err := agent.Serve(t.Context(), c, func(ctx context.Context, _ client.MeshMessage) error {
				handled.Add(1)
				if opts.MaxAttempts > 0 {
					return errors.New("not yet")
				}
				<-ctx.Done()
				return ctx.Err()
			}, opts)
			require.ErrorIs(t, err, net.ErrClosed, name)
			require.ErrorIs(t, err, client.ErrMesh, name)
			assert.Equal(t, time.Minute+time.Second, time.Since(begin), name)
			if name == "a handler that waits" {
				assert.EqualValues(t, 1, handled.Load(), "no further handler starts")
			}
		})
		assert.Empty(t, g.Requests(gatewaytest.MarkMessageRead), name)
	}
}
