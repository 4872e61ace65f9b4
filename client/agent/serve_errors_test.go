package agent_test

import (
	"context"
	"errors"
	"fmt"
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

func TestServeRepeatsAFailedMessageAndGivesItUp(t *testing.T) {
	t.Parallel()
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
		require.NoError(t, agent.Serve(ctx, c, handler, agent.ServeOptions{MaxAttempts: 4, OnError: j.onError}))
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

func TestServeReportsAPollThatIsFullOfMessagesThatWereGivenUp(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 3) // a poll of two messages hides message 1
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var j journal
		refuse := func(ctx context.Context, m client.MeshMessage) error {
			_ = j.handle(ctx, m)
			return errors.New("impossible")
		}
		opts := agent.ServeOptions{MaxAttempts: 1, Limit: 2, OnError: j.onError}
		require.NoError(t, agent.Serve(ctx, c, refuse, opts))
		assert.Equal(t, []int64{2, 3}, j.handled)
		require.Len(t, j.failed, 3, "the full poll is reported once")
		assert.ElementsMatch(t, []int64{2, 3}, j.failed[:2], "errors may be reported in another order than messages are handled")
		assert.Zero(t, j.failed[2])
		assert.ErrorContains(t, j.errors[2], "2 unread messages, which hide older ones")
		assert.Equal(t, 3, unread(t, c))
	})
}

func TestServeHonorsTheRetryAfterOfAHandlersError(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{"30": 30 * time.Second, "3600": time.Minute} {
		g := emptyGateway(t)
		storeQuestions(g, 1)
		g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {header}}})
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			var attempts []time.Time
			require.NoError(t, agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
				attempts = append(attempts, time.Now())
				_, err := c.Reply(ctx, m, client.SendRequest{Kind: client.KindAnswer, Content: "done"})
				return err
			}, agent.ServeOptions{}))
			require.Len(t, attempts, 2, header)
			assert.GreaterOrEqual(t, attempts[1].Sub(attempts[0]), want, header)
			assert.LessOrEqual(t, attempts[1].Sub(attempts[0]), want*5/4, header)
		})
	}
}

// OnError may wait, for example for a person: the worker is free for other messages.
func TestServeWorksWhileOnErrorWaits(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 3)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithCancel(t.Context())
		handled := 0
		handler := func(_ context.Context, m client.MeshMessage) error {
			handled++
			if m.ID == 1 {
				return errors.New("impossible")
			}
			if m.ID == 3 {
				cancel()
			}
			return nil
		}
		answered := false
		wait := func(client.MeshMessage, error) { <-ctx.Done(); time.Sleep(time.Hour); answered = true }
		require.NoError(t, agent.Serve(ctx, c, handler, agent.ServeOptions{MaxAttempts: 1, OnError: wait}))
		assert.Equal(t, 3, handled)
		assert.True(t, answered, "Serve waits for OnError")
	})
}

func TestServeWithoutOnErrorLogsErrorsWithoutTokens(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 1)
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		c, _ := worker(t, g, client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		fail := func(context.Context, client.MeshMessage) error { return fmt.Errorf("denied for %s", token[2:]) }
		require.NoError(t, agent.Serve(ctx, c, fail, agent.ServeOptions{MaxAttempts: 1}))
		assert.Contains(t, log.String(), `msg="given up after attempt 1" node=node-a message=1 error="denied for [REDACTED]"`)
		assert.NotContains(t, log.String(), token[2:])
	})
}
