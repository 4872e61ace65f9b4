package agent_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestServeMarksAMessageThatOnGiveUpEnds(t *testing.T) {
	t.Parallel()
	for _, marks := range []bool{true, false} {
		g := emptyGateway(t)
		bad := g.Store("node-b", "node-a", "question", "impossible")
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			var j journal
			errImpossible := errors.New("impossible")
			asked := 0
			onGiveUp := func(m client.MeshMessage, err error) bool {
				asked++
				assert.Equal(t, bad, m.ID)
				assert.Equal(t, "impossible", m.GetContent())
				assert.ErrorIs(t, err, errImpossible)
				return marks
			}
			require.NoError(t, agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
				_ = j.handle(ctx, m)
				return errImpossible
			}, agent.ServeOptions{MaxAttempts: 2, OnGiveUp: onGiveUp, OnError: j.onError}))
			assert.Equal(t, 1, asked)
			assert.Equal(t, []int64{bad, bad}, j.handled)
			require.Len(t, j.errors, 1, "OnError is called as well")
			require.ErrorContains(t, j.errors[0], "given up after attempt 2: impossible")
			assert.Equal(t, map[bool]int{true: 0, false: 1}[marks], unread(t, c))
		})
	}
}

func TestServeRepeatsTheMarkOfAMessageThatIsGivenUp(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 1)
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: 503, Times: 6})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, func(context.Context, client.MeshMessage) error { return errors.New("impossible") },
			agent.ServeOptions{MaxAttempts: 1, OnGiveUp: func(client.MeshMessage, error) bool { return true }, OnError: j.onError}))
		assert.Zero(t, unread(t, c))
		require.Len(t, j.errors, 2)
		require.ErrorContains(t, j.errors[1], "given up, but not marked read after attempt 5")
	})
}

// The same reply would be refused again. But after a gateway reset, a peer may be missing
// for a minute.
func TestServeDoesNotRepeatAReplyThatIsRefusedForItsContent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sender, answer string
		attempts       int
	}{
		"a credential":     {"node-b", "the key is AKIA" + "QWERTYUIOPASDFGH", 1},
		"no content":       {"node-b", "", 1},
		"an invalid name":  {"Node B!", "green", 1},
		"not registered":   {"node-x", "green", 5},
		"its own token":    {"node-b", "it is " + token, 1},
		"a failed gateway": {"node-b", "green", 5},
	} {
		g := emptyGateway(t)
		g.Store(c.sender, "node-a", "question", "Is the build green?")
		if c.sender == "node-b" {
			g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: http.StatusInternalServerError, Times: -1})
		}
		synctest.Test(t, func(t *testing.T) {
			client1, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			var j journal
			require.NoError(t, agent.Serve(ctx, client1, func(ctx context.Context, m client.MeshMessage) error {
				_ = j.handle(ctx, m)
				_, err := client1.Reply(ctx, m, client.SendRequest{Kind: client.KindAnswer, Content: c.answer})
				return fmt.Errorf("replying: %w", err)
			}, agent.ServeOptions{OnError: j.onError}))
			assert.Len(t, j.handled, c.attempts, name)
			require.Len(t, j.errors, 1, name)
			require.ErrorContains(t, j.errors[0], fmt.Sprintf("given up after attempt %d: replying: mesh:", c.attempts), name)
		})
	}
}

func TestServeWaitsForAPeerThatRegistersWithinAMinute(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	g.Store("node-x", "node-a", "question", "Is the build green?")
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		time.AfterFunc(time.Minute-time.Second, func() {
			peer, err := client.New("node-x", client.WithGatewayURL("http://gateway.test"), client.WithToken(token),
				client.WithHTTPClient(&http.Client{Transport: d}))
			assert.NoError(t, err)
			_, err = peer.Register(ctx, client.RegisterRequest{URL: "http://node-x"})
			assert.NoError(t, err)
		})
		var j journal
		require.NoError(t, agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
			_, err := c.Reply(ctx, m, client.SendRequest{Kind: client.KindAnswer, Content: "green"})
			return err
		}, agent.ServeOptions{OnError: j.onError}))
		assert.Empty(t, j.errors)
		assert.Zero(t, unread(t, c))
	})
}

// A thousand unanswerable messages must not hide the others.
func TestServeReachesAMessageBehindForgedOnes(t *testing.T) {
	t.Parallel()
	for name, forger := range map[string]string{"the node itself": "node-a", "a name that is not registered": "nobody"} {
		g := emptyGateway(t)
		honest := g.Store("node-b", "node-a", "question", "Is the build green?")
		for range 40 {
			g.Store(forger, "node-a", "question", "hello")
		}
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
			defer cancel()
			handled := make(map[int64]int)
			require.NoError(t, agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
				handled[m.ID]++
				_, err := c.Reply(ctx, m, client.SendRequest{Kind: client.KindAnswer, Content: "green"})
				return err
			}, agent.ServeOptions{
				Limit:    10,
				OnGiveUp: func(client.MeshMessage, error) bool { return true },
				OnError:  func(client.MeshMessage, error) {},
			}))
			assert.Equal(t, 1, handled[honest], name)
			assert.Zero(t, unread(t, c), name)
			if forger == c.Node() {
				assert.Len(t, handled, 1, "own messages are not handled")
			}
		})
		assert.Len(t, g.Requests(gatewaytest.MarkMessageRead), 41, name)
	}
}

func TestServeReportsOwnMessagesThatItCannotMark(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	g.Store("node-a", "node-a", "question", "hello")
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusForbidden, Times: -1})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{OnError: j.onError}))
		assert.Empty(t, j.handled)
		require.Len(t, j.errors, 1)
		require.ErrorContains(t, j.errors[0], "sent by the node itself, but not marked read after attempt 4")
	})
}
