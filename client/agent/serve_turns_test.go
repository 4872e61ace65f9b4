package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
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

// A question that arrives while another sender's messages wait isn't answered last.
func TestServeTakesTurnsOverPolls(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flood, limit int
		before       int // messages of the flood that may be handled before the question
	}{
		"300":           {flood: 300, before: 15},
		"1,500":         {flood: 1500, before: 15},
		"several polls": {flood: 300, limit: 100, before: 15},
	} {
		if test.flood > whole.Cases(1500, 300) {
			continue
		}
		g := gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b", "node-c"))
		synctest.Test(t, func(t *testing.T) {
			for range test.flood {
				g.Store("node-c", "node-a", "question", "x")
			}
			c, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			var mu sync.Mutex
			var j journal
			handled, before := 0, -1
			require.NoError(t, agent.Serve(ctx, c, func(_ context.Context, m client.MeshMessage) error {
				time.Sleep(20 * time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				switch handled++; {
				case handled == 5:
					g.Store("node-b", "node-a", "question", "Is the build green?")
				case m.FromNode == "node-b":
					before = handled - 6
				case handled == test.flood+1:
					cancel()
				}
				return nil
			}, agent.ServeOptions{Workers: 2, OnError: j.onError, Interval: 100 * time.Millisecond, Limit: test.limit}))
			assert.GreaterOrEqual(t, before, 0, name)
			assert.LessOrEqual(t, before, test.before, name)
			assert.Equal(t, test.flood+1, handled, name)
			assert.Empty(t, j.errors, name)
		})
	}
}

// While all workers are busy Serve goes on polling, reports nothing, and stops when
// enough messages wait.
func TestServePollsWhileItsWorkersAreBusy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ bytes, most int }{
		"small": {10, 1024}, "large": {1 << 16, 341},
	} {
		if test.bytes > whole.Cases(1<<16, 10) {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			polls, rows := 0, newRows(test.bytes)
			c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("limit") == "20" {
					polls++
				}
				rows(w, r)
			})
			var j journal
			require.NoError(t, agent.Serve(ctx, c, func(context.Context, client.MeshMessage) error {
				<-ctx.Done()
				return nil
			}, agent.ServeOptions{Interval: time.Second, Limit: 20, OnError: j.onError}))
			assert.GreaterOrEqual(t, 20*polls, test.most-20, name)
			assert.LessOrEqual(t, 20*polls, test.most+20, name)
		})
	}
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		storeQuestions(g, 100)
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, func(context.Context, client.MeshMessage) error {
			<-ctx.Done()
			return nil
		}, agent.ServeOptions{Limit: 100, OnError: j.onError}))
		assert.Empty(t, j.errors, "the list is full while the messages wait for the worker")
	})
}

// Senders take turns, and each sender's messages keep their order.
func TestSendersOfABacklogKeepTheirOrder(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	for i := range 30 {
		for sender := range i%3 + 1 {
			g.Store(fmt.Sprint("node-", string(rune('b'+sender))), "node-a", "question", fmt.Sprint(i))
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		last := map[string]int64{}
		handled := 0
		require.NoError(t, agent.Serve(ctx, c, func(_ context.Context, m client.MeshMessage) error {
			assert.Greater(t, m.ID, last[m.FromNode])
			last[m.FromNode] = m.ID
			if handled++; handled == 30 {
				assert.Len(t, last, 3)
			}
			return nil
		}, agent.ServeOptions{}))
		assert.Equal(t, 60, handled)
	})
}
