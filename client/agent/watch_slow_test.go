package agent_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// slowGateway has 200 messages with 6 KB each, behind a link with 100 KB a second.
func slowGateway(t *testing.T) *gatewaytest.Gateway {
	t.Helper()
	g := emptyGateway(t)
	for range 200 {
		g.Store("node-b", "node-a", "question", long("x", 6_000))
	}
	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{BytesPerSecond: 100_000, Times: -1})
	return g
}

// limits returns the limits in list requests.
func limits(g *gatewaytest.Gateway) (limits []int) {
	for _, r := range g.Requests(gatewaytest.ListMessages) {
		n, _ := strconv.Atoi(r.Query.Get("limit"))
		limits = append(limits, n)
	}
	return limits
}

// 200 messages of 6 KB at 100 KB/s exceed the timeout in one poll. In smaller polls they
// are read after 24 s.
func TestWatchFetchesFewerMessagesOnASlowLink(t *testing.T) {
	t.Parallel()
	g := slowGateway(t)
	synctest.Test(t, func(t *testing.T) {
		// The policy does not repeat a request that would take as long again.
		c := servingInMemory(t, g.Handler().ServeHTTP, client.WithToken(token), client.WithRetry(client.RetryPolicy{}))
		began, seen := time.Now(), 0
		for m, err := range agent.Watch(t.Context(), c, agent.WatchOptions{}) {
			require.NoError(t, err)
			assert.EqualValues(t, 200-62+1+seen, m.ID, "the newest, the oldest of them first")
			if seen++; seen == 62 {
				break
			}
		}
		assert.Equal(t, []int{1000, 250, 62}, limits(g))
		assert.InDelta(t, 24, time.Since(began).Seconds(), 1, "two timeouts and 380 KB")
	})
}

// If a gateway doesn't answer at all, requesting fewer messages would take the same time
// again.
func TestWatchDoesNotFetchFewerMessagesAfterATimeoutWithoutAHeader(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		c := servingInMemory(t, func(_ http.ResponseWriter, r *http.Request) {
			g.Handler().ServeHTTP(nowhere{}, r)
			<-r.Context().Done()
		}, client.WithToken(token))
		for _, err := range agent.Watch(t.Context(), c, agent.WatchOptions{}) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			break
		}
		assert.Equal(t, []int{1000}, limits(g))
	})
}

// nowhere writes a response that never arrives.
type nowhere struct{}

func (nowhere) Header() http.Header            { return http.Header{} }
func (nowhere) Write(body []byte) (int, error) { return len(body), nil }
func (nowhere) WriteHeader(int)                {}

// Every message is handled and marked, and no handler sees one twice.
func TestServeReadsAnInboxOnASlowLink(t *testing.T) {
	t.Parallel()
	g := slowGateway(t)
	synctest.Test(t, func(t *testing.T) {
		c := servingInMemory(t, g.Handler().ServeHTTP, client.WithToken(token), client.WithRetry(client.RetryPolicy{}))
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
			_ = j.handle(ctx, m)
			if m.ID == 150 { // the next looks have no room for older messages
				storeQuestions(g, 300)
			}
			if m.ID%10 == 5 && m.ID < 200 { // the next look finds a message that the poll did not have
				storeQuestions(g, 1)
			}
			if len(j.handled) == 200+300+20 {
				cancel()
			}
			return nil
		}, agent.ServeOptions{OnError: j.onError}))
		t.Logf("520 messages in %v", time.Since(began))
		assert.Less(t, time.Since(began), 3*time.Minute)
		assert.Empty(t, j.errors)
		g.Heal()
		assert.Zero(t, unread(t, c))
	})
}
