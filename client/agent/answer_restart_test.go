package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
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

// combinations calls do with each combination of n flags, or with every fifth one under
// the race detector.
func combinations(n int, do func(flags []bool)) {
	for bits := 0; bits < 1<<n; bits += whole.Cases(1, 5) {
		flags := make([]bool, n)
		for i := range flags {
			flags[i] = bits>>i&1 == 1
		}
		do(flags)
	}
}

// A server is killed between its function's return and the delivery. The next start
// delivers the answer, whatever options both have.
func TestARestartDeliversTheFinishedAnswerWithEveryOption(t *testing.T) {
	t.Parallel()
	combinations(7, func(set []bool) {
		spool, lease, other, registers, once, marks, allKinds := set[0], set[1], set[2], set[3], set[4], set[5], set[6]
		if other && !lease {
			return // both run the function
		}
		name := fmt.Sprintf("spool %v, lease %v, other server %v, register %v, one attempt %v, give up marks %v, all kinds %v",
			spool, lease, other, registers, once, marks, allKinds)
		g := gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b"))
		folder := t.TempDir()
		options := func() agent.AnswerOptions {
			opts := agent.AnswerOptions{AllKinds: allKinds, ServeOptions: agent.ServeOptions{Workers: 2, OnError: func(client.MeshMessage, error) {}}}
			if spool {
				opts.Spool = folder
			}
			if lease {
				opts.Lease = time.Minute
			}
			if registers {
				opts.Register = register
			}
			if once {
				opts.MaxAttempts = 1
			}
			if marks {
				opts.OnGiveUp = func(client.MeshMessage, error) bool { return true }
			}
			return opts
		}
		synctest.Test(t, func(t *testing.T) {
			var runs atomic.Int64
			var running sync.WaitGroup
			serve := func(ctx context.Context, c *client.MeshClient, finished func(), opts agent.AnswerOptions) {
				running.Go(func() {
					assert.NoError(t, agent.Answer(ctx, c, func(context.Context, client.MeshMessage) (string, error) {
						runs.Add(1)
						finished()
						return "paid", nil
					}, opts))
				})
			}
			storeQuestions(g, 1)
			first, d := worker(t, g)
			ctx, kill := context.WithCancel(t.Context())
			serve(ctx, first, func() { d.gateway.Store(nil) }, options())
			synctest.Wait()
			require.EqualValues(t, 1, runs.Load(), name)
			later, stop := context.WithCancel(t.Context())
			defer stop()
			if other {
				opts := options()
				if spool {
					opts.Spool = t.TempDir()
				}
				c, _ := worker(t, g)
				serve(later, c, func() {}, opts)
				time.Sleep(time.Second)
			}
			kill()
			synctest.Wait()
			began := time.Now()
			again, _ := worker(t, g)
			serve(later, again, func() {}, options())
			for unread(t, again) > 0 && time.Since(began) < 10*time.Minute {
				time.Sleep(time.Second)
			}
			inbox, err := again.Fetch(t.Context(), client.FetchOptions{ToNode: "node-b"})
			require.NoError(t, err)
			require.Len(t, inbox, 1, name)
			assert.Equal(t, "paid", inbox[0].GetContent(), name)
			if spool {
				assert.EqualValues(t, 1, runs.Load(), name)
				assert.Less(t, time.Since(began), 2*time.Second, name)
			}
			stop()
			running.Wait()
			left, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Empty(t, left, name)
		})
	})
}

// A server is killed after the delivery and before the mark: its file keeps the message
// from being handled again.
func TestADeliveredAnswerIsKeptUntilTheMark(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		storeQuestions(g, 1)
		c, _ := worker(t, g)
		runs := 0
		serve := func(within time.Duration) {
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			require.NoError(t, agent.Answer(ctx, c, func(context.Context, client.MeshMessage) (string, error) { runs++; return "paid", nil },
				agent.AnswerOptions{Spool: folder, ServeOptions: agent.ServeOptions{Lease: lease, OnError: func(client.MeshMessage, error) {}}}))
		}
		g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: 503, Times: -1})
		serve(time.Minute)
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Len(t, left, 1)
		g.Heal()
		serve(2 * time.Second)
		left, err = os.ReadDir(folder)
		require.NoError(t, err)
		assert.Empty(t, left)
		assert.Equal(t, 1, runs)
		assert.Zero(t, unread(t, c))
		inbox, err := c.Fetch(t.Context(), client.FetchOptions{ToNode: "node-b"})
		require.NoError(t, err)
		assert.Len(t, inbox, 1)
	})
}

// The first poll after a restart shows the message as unread, but its response arrives
// only after the kept answer is delivered and the message marked.
func TestAResumedMessageOfALatePollIsNotHandledAgain(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		storeQuestions(g, 1)
		runs := 0
		serve := func(c *client.MeshClient) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			require.NoError(t, agent.Answer(ctx, c, func(context.Context, client.MeshMessage) (string, error) { runs++; return "paid", nil },
				agent.AnswerOptions{Spool: folder, ServeOptions: agent.ServeOptions{OnError: func(client.MeshMessage, error) {}}}))
		}
		g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: 503, Times: -1})
		first, d := worker(t, g)
		serve(first)
		g.Heal()
		late := roundTrip(func(req *http.Request) (*http.Response, error) {
			resp, err := d.RoundTrip(req)
			if req.URL.Query().Get("limit") == "1000" && !req.URL.Query().Has("since") {
				time.Sleep(time.Second)
			}
			return resp, err
		})
		c, _ := worker(t, g, client.WithHTTPClient(&http.Client{Transport: late}))
		serve(c)
		assert.Equal(t, 1, runs)
		assert.Zero(t, unread(t, c))
	})
}
