package agent_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
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
)

// takenOver returns how long a second server takes to answer a question whose server was
// killed. meanwhile is called before the second starts.
func takenOver(t *testing.T, g *gatewaytest.Gateway, meanwhile func(), opts ...client.Option) (took time.Duration) {
	t.Helper()
	storeQuestions(g, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 100*lease)
	defer cancel()
	var running sync.WaitGroup
	killed, d := worker(t, g)
	never := make(chan struct{})
	share(ctx, t, &running, killed, func(context.Context, client.MeshMessage) (string, error) { <-never; return "", nil })
	synctest.Wait()
	d.gateway.Store(nil)
	meanwhile()
	began := time.Now()
	c, _ := worker(t, g, opts...)
	share(ctx, t, &running, c, func(context.Context, client.MeshMessage) (string, error) {
		took = time.Since(began)
		cancel()
		return "Yes.", nil
	})
	<-ctx.Done()
	close(never)
	running.Wait()
	assert.NotZero(t, took, "it is not taken over")
	return took
}

// Requests fail during a third of each lease. Those failures must not restart the wait.
func TestFailedRequestsDoNotStartALeaseAgain(t *testing.T) {
	t.Parallel()
	for third := range time.Duration(3) {
		g := emptyGateway(t)
		synctest.Test(t, func(t *testing.T) {
			took := takenOver(t, g, func() {
				began := time.Now()
				g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
					if r.Operation == gatewaytest.ListMessages && time.Since(began)%lease/(lease/3) == third {
						return &gatewaytest.Fault{Status: 503}
					}
					return nil
				})
			})
			assert.GreaterOrEqual(t, took, lease)
			assert.LessOrEqual(t, took, 2*lease, "failures in the third %d", third)
		})
	}
}

var claimNumber = regexp.MustCompile(`(claim-1-[0-9a-f]{16}-)([0-9]+)`)

// claimPrefix returns the common start of all claims on the first message.
func claimPrefix(t *testing.T, g *gatewaytest.Gateway) string {
	t.Helper()
	for _, r := range g.Requests(gatewaytest.SendMessage) {
		if match := claimNumber.FindStringSubmatch(r.Body); match != nil {
			return match[1]
		}
	}
	require.Fail(t, "there is no claim")
	return ""
}

// Anyone with a token can send messages to the node claims.
func TestForgedClaimsDoNotBlockAMessage(t *testing.T) {
	t.Parallel()
	for name, claims := range map[string][]string{
		"large":         {"7", "1000000", "2147483646", "2147483647", "2147483648"},
		"overflow":      {"9223372036854775806", "9223372036854775807", "18446744073709551615", strings.Repeat("9", 100)},
		"no numbers":    {"-1", "", "0x1", "1e3", "given up"},
		"gaps":          {"2", "4", "6", "8", "10", "12"},
		"the same":      {"0", "0", "0"},
		"another claim": {"7-1"},
	} {
		g := emptyGateway(t)
		synctest.Test(t, func(t *testing.T) {
			took := takenOver(t, g, func() {
				prefix := claimPrefix(t, g)
				for _, number := range claims {
					g.Store("node-a", "claims", "status", prefix+number+" "+"SOMEBODY")
				}
				g.Store("node-b", "claims", "status", prefix+"1 given up")
				g.Store("node-a", "node-b", "status", prefix+"1 given up")
			})
			assert.LessOrEqual(t, took, lease+5*time.Second, name)
		})
	}
}

// The gateway lists the newest 1000 claims: a message's first ones may be hidden.
func TestAClaimIsFoundBehindManyOthers(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		took := takenOver(t, g, func() {
			prefix := claimPrefix(t, g)
			for i := range 6 {
				g.Store("node-a", "claims", "status", fmt.Sprint(prefix, i+1, " KILLED"))
				if i == 2 {
					for range 996 {
						g.Store("node-a", "claims", "status", "claim-2-0123456789abcdef-0 OTHER")
					}
				}
			}
		})
		assert.LessOrEqual(t, took, 5*lease/3, "the last claim is found at the first look")
	})
}

// Servers that share messages make as many attempts together as one would alone, and then
// one of them gives the message up.
func TestServersWithALeaseGiveUpTogether(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ finishes, failsToClaim bool }{
		"fails": {}, "the answer is refused": {finishes: true}, "in trouble": {failsToClaim: true},
	} {
		g := emptyGateway(t)
		synctest.Test(t, func(t *testing.T) {
			storeQuestions(g, 3)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var running sync.WaitGroup
			var runs, givenUp atomic.Int64
			var failed sync.Map
			g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
				switch {
				case test.finishes && strings.Contains(r.Body, `"kind":"answer"`):
					return &gatewaytest.Fault{Status: 500}
				case test.failsToClaim && strings.Contains(r.Body, "given up"):
					n, _ := failed.LoadOrStore(r.Body, new(atomic.Int64))
					if times := n.(*atomic.Int64).Add(1); times <= 2 {
						return &gatewaytest.Fault{Status: 500, AfterEffect: times == 2}
					}
				}
				return nil
			})
			start := func() {
				c, _ := worker(t, g)
				running.Go(func() {
					assert.NoError(t, agent.Answer(ctx, c, func(context.Context, client.MeshMessage) (string, error) {
						runs.Add(1)
						time.Sleep(lease) // a claim is renewed
						if test.finishes {
							return "paid", nil
						}
						return "", errors.New("fails")
					}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{
						Lease: lease, MaxAttempts: 2, OnError: func(m client.MeshMessage, _ error) {
							if m.ID != 0 {
								givenUp.Add(1)
							}
						},
					}}))
				})
			}
			for range 3 {
				start()
			}
			time.Sleep(15 * lease)
			attempts := int64(2)
			if test.finishes {
				attempts = 1
			}
			assert.Equal(t, 3*attempts, runs.Load(), name)
			assert.EqualValues(t, 3, givenUp.Load(), name)
			start() // two later servers try again, together
			start()
			time.Sleep(15 * lease)
			assert.Equal(t, 6*attempts, runs.Load(), name)
			assert.EqualValues(t, 6, givenUp.Load(), name)
			cancel()
			running.Wait()
		})
	}
}

// The last claim is made before Serve returns.
func TestAMessageIsGivenUpAtTheEnd(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		storeQuestions(g, 1)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c, _ := worker(t, g)
		require.NoError(t, agent.Serve(ctx, c, func(context.Context, client.MeshMessage) error { cancel(); return errors.New("fails") },
			agent.ServeOptions{Lease: lease, MaxAttempts: 1, OnError: func(client.MeshMessage, error) {}}))
	})
	posts := g.Requests(gatewaytest.SendMessage)
	assert.Contains(t, posts[len(posts)-1].Body, "-1 given up")
}
