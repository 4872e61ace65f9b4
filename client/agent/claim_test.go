package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
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
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

const lease = 30 * time.Second

// runs counts how often each message is handled.
type runs struct {
	mu   sync.Mutex
	runs map[int64]int
}

func (r *runs) add(m client.MeshMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs == nil {
		r.runs = map[int64]int{}
	}
	r.runs[m.ID]++
}

func (r *runs) assertOnce(t *testing.T, n int, when string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	assert.Len(t, r.runs, n, when)
	for id, times := range r.runs {
		assert.Equal(t, 1, times, "runs for message %d, %s", id, when)
	}
}

// share serves node-a with two workers until ctx ends.
func share(ctx context.Context, t *testing.T, running *sync.WaitGroup, c *client.MeshClient, answer func(context.Context, client.MeshMessage) (string, error)) {
	t.Helper()
	running.Go(func() {
		assert.NoError(t, agent.Answer(ctx, c, answer, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Workers: 2, Lease: lease, OnError: func(client.MeshMessage, error) {}}}))
	})
}

func TestServersWithALeaseShareMessages(t *testing.T) {
	t.Parallel()
	const servers, questions = 3, 40
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		storeQuestions(g, questions)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		var handled runs
		var byServer [servers]atomic.Int64
		var running sync.WaitGroup
		for i := range servers {
			c, _ := worker(t, g)
			share(ctx, t, &running, c, func(_ context.Context, m client.MeshMessage) (string, error) {
				handled.add(m)
				byServer[i].Add(1)
				time.Sleep(time.Second)
				return "Yes.", nil
			})
		}
		running.Wait()
		handled.assertOnce(t, questions, "three servers")
		for i := range servers {
			assert.GreaterOrEqual(t, byServer[i].Load(), int64(questions/servers/2), "server %d", i)
		}
		c, _ := worker(t, g)
		assert.Zero(t, unread(t, c))
		sent, err := c.Sent(t.Context(), client.SentOptions{Limit: 1000})
		require.NoError(t, err)
		assert.Len(t, sent, questions, "claims are not listed")
	})
	for _, r := range g.Requests(gatewaytest.SendMessage) {
		if strings.Contains(r.Body, `"to_node":"claims"`) {
			assert.Regexp(t, `"idempotency_key":"claim-([0-9]+-[0-9a-f]{16}-[0-9]+|[A-Z2-7]{26})"`, r.Body)
			assert.Contains(t, r.Body, `"kind":"status"`)
		}
	}
}

// A handler that takes longer than the lease runs once, even if the gateway is
// unreachable for longer than the lease meanwhile.
func TestAClaimIsRenewedWhileItsHandlerRuns(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]struct{ before, both, after time.Duration }{
		"always there": {}, "away": {0, 4 * lease / 3, lease / 4}, "away for long": {0, 5 * lease, lease / 4}, "one for longer": {lease / 2, lease, lease / 12},
	} {
		for at := range whole.Cases(4, 2) {
			g := emptyGateway(t)
			synctest.Test(t, func(t *testing.T) {
				storeQuestions(g, 2)
				ctx, cancel := context.WithTimeout(t.Context(), 14*lease)
				defer cancel()
				var handled runs
				var running sync.WaitGroup
				var gateways []*direct
				for range 2 {
					c, d := worker(t, g)
					gateways = append(gateways, d)
					share(ctx, t, &running, c, func(_ context.Context, m client.MeshMessage) (string, error) {
						handled.add(m)
						time.Sleep(10 * lease)
						return "Yes.", nil
					})
				}
				time.Sleep(time.Second + time.Duration(at)*lease/7) // before and after the first renewals
				// long is unreachable before and after short, too.
				long, short := gateways[1-at%2], gateways[at%2]
				if outage.both > 0 {
					long.gateway.Store(nil)
					time.Sleep(outage.before)
					short.gateway.Store(nil)
				}
				time.Sleep(outage.both)
				short.gateway.Store(g)
				time.Sleep(outage.after)
				long.gateway.Store(g)
				running.Wait()
				handled.assertOnce(t, 2, name)
			})
		}
	}
}

// A server that is killed neither renews nor answers.
func TestAMessageOfAKilledServerIsTakenOver(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]time.Duration{"at once": time.Second, "after renewals": 10*lease + time.Second} {
		g := emptyGateway(t)
		synctest.Test(t, func(t *testing.T) {
			storeQuestions(g, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var running sync.WaitGroup
			killed, d := worker(t, g)
			never := make(chan struct{})
			share(ctx, t, &running, killed, func(context.Context, client.MeshMessage) (string, error) { <-never; return "lost", nil })
			synctest.Wait()
			began := time.Now()
			c, _ := worker(t, g)
			share(ctx, t, &running, c, func(_ context.Context, m client.MeshMessage) (string, error) {
				assert.Equal(t, "Is the build green?", m.GetContent())
				cancel()
				return "Yes.", nil
			})
			time.Sleep(after)
			d.gateway.Store(nil)
			<-ctx.Done()
			took := time.Since(began) - after
			assert.LessOrEqual(t, took, 4*lease/3+time.Second, name)
			assert.GreaterOrEqual(t, time.Since(began), lease, name)
			close(never)
			running.Wait()
		})
	}
}

func TestAGatewayThatIgnoresKeysIsRefused(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a"), gatewaytest.WithoutIdempotency())
	err := agent.Serve(t.Context(), connect(t, g, "node-a"), func(context.Context, client.MeshMessage) error { return nil }, agent.ServeOptions{Lease: lease})
	gatewayError(t, err)
	require.ErrorContains(t, err, "ignores idempotency keys")
	require.ErrorContains(t, err, "ServeOptions.Lease")
	assert.Empty(t, g.Requests(gatewaytest.ListMessages))
}

func TestLeaseIsValidated(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for _, lease := range []time.Duration{-1, 60} {
		err := agent.Serve(t.Context(), c, func(context.Context, client.MeshMessage) error { return nil }, agent.ServeOptions{Lease: lease})
		assert.Equal(t, "Lease", valueError(t, err).Field)
	}
	_, err := connect(t, g, "claims").Register(t.Context(), client.RegisterRequest{URL: "http://claims"})
	assert.Equal(t, "node", valueError(t, err).Field)
	assert.Empty(t, g.Requests())
}

// Without a lease every server handles every message. One of them finds another's answer,
// and logs that once.
func TestServersWithoutALeaseAreWarned(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		storeQuestions(g, 3)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var logs [2]strings.Builder
		var running sync.WaitGroup
		for i := range logs {
			c, _ := worker(t, g, client.WithLogger(slog.New(slog.NewTextHandler(&logs[i], nil))))
			running.Go(func() {
				assert.NoError(t, agent.Answer(ctx, c, func(_ context.Context, _ client.MeshMessage) (string, error) {
					time.Sleep(time.Duration(i+1) * time.Second)
					return fmt.Sprint("answer of server ", i), nil
				}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Workers: 3}}))
			})
		}
		running.Wait()
		assert.NotContains(t, logs[0].String(), "ServeOptions.Lease")
		assert.Equal(t, 1, strings.Count(logs[1].String(), "ServeOptions.Lease"), logs[1].String())
	})
}

// One sender with many messages does not delay another.
func TestServeTakesTurnsBetweenSenders(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		for i := range 900 {
			g.Store("node-b", "node-a", "question", fmt.Sprint(i))
		}
		for i := range 3 {
			g.Store("node-c", "node-a", "question", fmt.Sprint(i))
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var order []string
		c, _ := worker(t, g)
		require.NoError(t, agent.Serve(ctx, c, func(_ context.Context, m client.MeshMessage) error {
			if order = append(order, m.FromNode+" "+m.GetContent()); len(order) == 8 {
				cancel()
			}
			return nil
		}, agent.ServeOptions{}))
		assert.Equal(t, []string{
			"node-b 0", "node-c 0", "node-b 1", "node-c 1", "node-b 2", "node-c 2", "node-b 3", "node-b 4",
		}, order)
	})
}
