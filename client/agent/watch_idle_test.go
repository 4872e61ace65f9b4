package agent_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/pipe"
)

func TestWatchPollsLessOftenWhileTheInboxIsEmpty(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := &inbox{answers: []http.HandlerFunc{rows(), rows(), rows(), rows(), rows(), rows(1), rows(1)}}
		c, err := client.New("node-a", client.WithGatewayURL("http://gateway.test"), client.WithHTTPClient(&http.Client{Transport: pipe.Call(i.handle)}))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		for range agent.Watch(ctx, c, agent.WatchOptions{Interval: 5 * time.Second, IdleInterval: 30 * time.Second}) {
		}
		checkPauses(t, i.polls, 10, 20, 30, 30, 30)
		found := i.polls[5]
		active := slices.IndexFunc(i.polls, func(at time.Time) bool { return at.Sub(found) >= time.Minute })
		for poll := 5; poll < active; poll++ {
			checkPauses(t, i.polls[poll:], 5)
		}
		checkPauses(t, i.polls[active:], 10, 20, 30, 30)
	})
}

// checkPauses checks the seconds between polls, which vary by a quarter.
func checkPauses(t *testing.T, polls []time.Time, seconds ...time.Duration) {
	t.Helper()
	for i, want := range seconds {
		pause := polls[i+1].Sub(polls[i])
		assert.GreaterOrEqual(t, pause, want*time.Second*3/4, "pause %d", i+1)
		assert.LessOrEqual(t, pause, want*time.Second*5/4, "pause %d", i+1)
	}
}

// Two nodes exchange questions and answers after an hour of silence. Without the active minute a turn takes 25 s and more.
func TestConversationDoesNotWaitForIdlePolls(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"))
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		opts := agent.ServeOptions{IdleInterval: 30 * time.Second}
		var turns []time.Time
		nodes := make(chan error, 2)
		for _, node := range []string{"node-a", "node-b"} {
			d := new(direct)
			d.gateway.Store(g)
			c := newClient(t, node, client.WithGatewayURL("http://gateway.test"), client.WithHTTPClient(&http.Client{Transport: d}))
			go func() {
				nodes <- agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
					if turns = append(turns, time.Now()); len(turns) == 12 {
						stop()
					}
					time.Sleep(10 * time.Second) // a model
					_, err := c.Reply(ctx, m, client.SendRequest{Kind: client.KindQuestion, Content: "And then?"})
					return err
				}, opts)
			}()
		}
		time.Sleep(time.Hour)
		g.Store("node-a", "node-b", "question", "What is next?")
		require.NoError(t, <-nodes)
		require.NoError(t, <-nodes)
		perTurn := turns[11].Sub(turns[1]) / 10
		t.Logf("a turn takes %v, of which 10 s are the model", perTurn)
		assert.Less(t, perTurn, 17*time.Second)
	})
}

func TestWatchRejectsAnIdleIntervalBelowTheInterval(t *testing.T) {
	c := connect(t, gateway(t), "node-a")
	for _, err := range agent.Watch(t.Context(), c, agent.WatchOptions{IdleInterval: time.Second}) {
		assert.Equal(t, "IdleInterval", valueError(t, err).Field)
	}
}
