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
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func TestWatchPollsLessOftenWhileTheInboxIsEmpty(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := &inbox{answers: []http.HandlerFunc{rows(), rows(), rows(), rows(), rows(), rows(1), rows(1)}} // the sixth poll has a message
		c, err := client.New("node-a", client.WithGatewayURL("http://gateway.test"), client.WithHTTPClient(&http.Client{Transport: nettest.Call(i.handle)}))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		for range agent.Watch(ctx, c, agent.WatchOptions{}) {
		}
		checkPauses(t, i.polls, 2, 4, 5, 5, 5)
		found := i.polls[5]
		active := slices.IndexFunc(i.polls, func(at time.Time) bool { return at.Sub(found) >= 2*time.Minute })
		for poll := 5; poll < active; poll++ {
			checkPauses(t, i.polls[poll:], 1)
		}
		checkPauses(t, i.polls[active:], 2, 4, 5, 5)
	})
}

// An overloaded gateway isn't polled every second, until the next message.
func TestWatchPollsLessOftenAtAGatewayInTrouble(t *testing.T) {
	t.Parallel()
	slow := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(1100 * time.Millisecond)
		rows(1)(w, r)
	}
	for name, strained := range map[string]http.HandlerFunc{"slow": slow, "429": status(429)} {
		synctest.Test(t, func(t *testing.T) {
			i := &inbox{answers: []http.HandlerFunc{rows(1), rows(1), strained, rows(1), rows(1), rows(1, 2), rows(1, 2)}}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for range agent.Watch(ctx, inProcess(t, i.handle), agent.WatchOptions{}) {
			}
			checkPauses(t, i.polls, 1, 1)
			assert.Greater(t, i.polls[3].Sub(i.polls[2]), 3750*time.Millisecond, name)
			checkPauses(t, i.polls[3:], 5, 5, 1, 1)
		})
	}
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

// Two nodes exchange questions and answers after an hour of silence. Without the active
// phase a turn would take 25 s or more.
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
	for _, err := range agent.Watch(t.Context(), c, agent.WatchOptions{IdleInterval: time.Second / 2}) {
		assert.Equal(t, "IdleInterval", valueError(t, err).Field)
	}
}

// The first question after a silence waits for an idle poll, and questions in the next
// two minutes for an active one.
func TestAnswerLatency(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"))
	synctest.Test(t, func(t *testing.T) {
		d := new(direct)
		d.gateway.Store(g)
		at := func(node string) *client.MeshClient {
			return newClient(t, node, client.WithGatewayURL("http://gateway.test"), client.WithHTTPClient(&http.Client{Transport: d}))
		}
		a, b := at("node-a"), at("node-b")
		ctx, stop := context.WithCancel(t.Context())
		ready, ended := make(chan struct{}), make(chan error)
		opts := agent.ServeOptions{OnReady: func() { close(ready) }}
		go func() {
			ended <- agent.Answer(ctx, b, func(context.Context, client.MeshMessage) (string, error) { return "yes", nil }, agent.AnswerOptions{ServeOptions: opts})
		}()
		<-ready
		var first, later time.Duration
		for range 8 {
			time.Sleep(10 * time.Minute)
			for question := range 5 {
				asked := time.Now()
				_, err := agent.Ask(ctx, a, client.SendRequest{To: "node-b", Content: "Ready?"})
				require.NoError(t, err)
				if took := time.Since(asked); question == 0 {
					first = max(first, took)
				} else {
					later = max(later, took)
				}
				time.Sleep(17 * time.Second)
			}
		}
		t.Logf("after a silence at most %v, later at most %v", first, later)
		assert.Less(t, first, 7500*time.Millisecond)
		assert.Less(t, later, 2500*time.Millisecond)
		stop()
		require.NoError(t, <-ended)
	})
}
