package agent_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestWatchSelectsMessages(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b", "node-c"), gatewaytest.WithThreads(threadID))
	for i, m := range []struct{ from, kind, thread string }{
		{"node-b", "fyi", ""}, {"node-c", "question", ""}, {"node-b", "question", threadID}, {"node-c", "fyi", threadID}, {"node-b", "question", ""},
	} {
		_, err := connect(t, g, m.from).Send(t.Context(), client.SendRequest{
			To: "node-a", Kind: client.Kind(m.kind), Content: fmt.Sprint("message ", i+1), ThreadID: m.thread,
		})
		require.NoError(t, err)
	}
	for _, row := range []struct {
		opts agent.WatchOptions
		want []int64
	}{
		{agent.WatchOptions{}, []int64{1, 2, 3, 4, 5}},
		{agent.WatchOptions{FromNode: "node-b"}, []int64{1, 3, 5}},
		{agent.WatchOptions{FromNode: "bee"}, []int64{1, 3, 5}},
		{agent.WatchOptions{Kinds: []client.Kind{client.KindQuestion}}, []int64{2, 3, 5}},
		{agent.WatchOptions{ThreadID: threadID}, []int64{3, 4}},
		{agent.WatchOptions{FromNode: "node-b", Kinds: []client.Kind{client.KindQuestion}, ThreadID: threadID}, []int64{3}},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g, client.WithAliases(map[string]string{"bee": "node-b"}))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			var seen []int64
			for m, err := range agent.Watch(ctx, c, row.opts) {
				require.NoError(t, err)
				seen = append(seen, m.ID)
			}
			assert.Equal(t, row.want, seen, row.opts)
			requests := g.Requests(gatewaytest.ListMessages)
			assert.Len(t, requests[len(requests)-1].Query, 3+fields(row.opts), "the gateway selects")
		})
	}
}

// fields counts a selection's parameters.
func fields(o agent.WatchOptions) (n int) {
	for _, value := range []string{o.FromNode, fmt.Sprint(o.Kinds), o.ThreadID} {
		if value != "" && value != "[]" {
			n++
		}
	}
	return n
}

// An older gateway ignores the parameters, so the client selects, too.
func TestServeLeavesMessagesThatAreNotSelected(t *testing.T) {
	t.Parallel()
	for _, opts := range []agent.ServeOptions{{FromNode: "node-c"}, {Kinds: []client.Kind{client.KindFYI}}, {ThreadID: threadID}} {
		synctest.Test(t, func(t *testing.T) {
			b := &mailbox{ignores: []string{"from", "kind", "thread_id"}}
			b.add("node-b", "question", "2026-11-21T12:00:00+00:00")
			var j journal
			opts.OnError = j.onError
			serveFor(t, b, time.Minute, j.handle, opts)
			assert.Empty(t, j.handled)
			assert.Empty(t, j.errors)
			assert.Empty(t, b.marks())
		})
	}
}

// 300 messages are three full polls. If Serve paused after each, it would handle few
// messages a second.
func TestServeDoesNotPauseAfterAFullPoll(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 300)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		began := time.Now()
		handled := 0
		require.NoError(t, agent.Serve(ctx, c, func(context.Context, client.MeshMessage) error {
			if handled++; handled == 300 {
				cancel()
			}
			return nil
		}, agent.ServeOptions{Limit: 100}))
		t.Logf("300 messages took %v of pauses", time.Since(began))
		assert.Zero(t, time.Since(began))
	})
}
