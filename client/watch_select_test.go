package client_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
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
		opts client.WatchOptions
		want []int64
	}{
		{client.WatchOptions{}, []int64{1, 2, 3, 4, 5}},
		{client.WatchOptions{FromNode: "node-b"}, []int64{1, 3, 5}},
		{client.WatchOptions{FromNode: "bee"}, []int64{1, 3, 5}},
		{client.WatchOptions{Kinds: []client.Kind{client.KindQuestion}}, []int64{2, 3, 5}},
		{client.WatchOptions{ThreadID: threadID}, []int64{3, 4}},
		{client.WatchOptions{FromNode: "node-b", Kinds: []client.Kind{client.KindQuestion}, ThreadID: threadID}, []int64{3}},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g, client.WithAliases(map[string]string{"bee": "node-b"}))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			var seen []int64
			for m, err := range c.Watch(ctx, row.opts) {
				require.NoError(t, err)
				seen = append(seen, m.ID)
			}
			assert.Equal(t, row.want, seen, row.opts)
			requests := g.Requests(gatewaytest.ListMessages)
			assert.Len(t, requests[len(requests)-1].Query, 3+fields(row.opts), "the gateway selects")
		})
	}
}

// fields returns the number of parameters of a selection.
func fields(o client.WatchOptions) (n int) {
	for _, value := range []string{o.FromNode, fmt.Sprint(o.Kinds), o.ThreadID} {
		if value != "" && value != "[]" {
			n++
		}
	}
	return n
}

// An older gateway ignores the parameters: the client selects as well.
func TestServeLeavesMessagesThatAreNotSelected(t *testing.T) {
	t.Parallel()
	for _, opts := range []client.WatchOptions{{FromNode: "node-c"}, {Kinds: []client.Kind{client.KindFYI}}, {ThreadID: threadID}} {
		synctest.Test(t, func(t *testing.T) {
			b := &mailbox{ignores: []string{"from", "kind", "thread_id"}}
			b.add("node-b", "question", "2026-11-21T12:00:00+00:00")
			var j journal
			serveFor(t, b, time.Minute, j.handle, client.ServeOptions{Watch: opts, OnError: j.onError})
			assert.Empty(t, j.handled)
			assert.Empty(t, j.errors)
			assert.Empty(t, b.marks())
		})
	}
}

func TestServeRejectsTwoSelectionsOfKinds(t *testing.T) {
	b := new(mailbox)
	opts := client.ServeOptions{Kinds: []client.Kind{client.KindFYI}, Watch: client.WatchOptions{Kinds: []client.Kind{client.KindQuestion}}}
	assert.Equal(t, "Kinds", valueError(t, inProcess(t, b.handle).Serve(t.Context(), new(journal).handle, opts)).Field)
	opts = client.ServeOptions{Watch: client.WatchOptions{FromNode: "node\xff"}}
	assert.Equal(t, "FromNode", valueError(t, inProcess(t, b.handle).Serve(t.Context(), new(journal).handle, opts)).Field)
	assert.Zero(t, b.polls)
}

// 300 messages are three full polls. With a pause after each, Serve would handle few messages a second.
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
		require.NoError(t, c.Serve(ctx, func(context.Context, client.MeshMessage) error {
			if handled++; handled == 300 {
				cancel()
			}
			return nil
		}, client.ServeOptions{Watch: client.WatchOptions{Limit: 100}}))
		t.Logf("300 messages took %v of pauses", time.Since(began))
		assert.Zero(t, time.Since(began))
	})
}
