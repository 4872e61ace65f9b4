package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// serveAnswers runs a node that gives every question the same answer until the test ends.
func serveAnswers(t *testing.T, g *gatewaytest.Gateway, node, text string) {
	t.Helper()
	c, err := client.New(node, g.Options()...)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		_ = agent.Serve(ctx, c, func(ctx context.Context, q client.MeshMessage) error {
			_, err := c.Reply(ctx, q, client.SendRequest{Kind: client.KindAnswer, Content: text})
			return err
		}, agent.ServeOptions{Kinds: []client.Kind{client.KindQuestion}, Interval: 100 * time.Millisecond, OnError: func(client.MeshMessage, error) {}})
	})
	t.Cleanup(func() { cancel(); running.Wait(); _ = c.Close() })
}

func items(result map[string]any, field string) []map[string]any {
	var all []map[string]any
	for _, item := range result[field].([]any) {
		all = append(all, item.(map[string]any))
	}
	return all
}

func TestAskToolRefusesOtherArguments(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	a := newAgent(t, g)
	for want, in := range map[string][]arguments{
		"mesh_ask needs to and content":       {{}},
		"mesh_ask needs content":              {{"to": []string{"node-b"}}},
		"mesh_ask needs to":                   {{"content": "x"}},
		"to must be the name of a node, or a": {{"to": []string{}, "content": "x"}},
		"pending is not an argument of":       {{"to": []string{"node-b"}, "content": "x", "pending": []any{}}},
		"must not contain a node twice":       {{"to": []string{"node-b", "node-b"}, "content": "x"}},
		"must not be the client's own node":   {{"to": []string{"node-a"}, "content": "x"}},
		"is not registered":                   {{"to": []string{"node-x"}, "content": "x", "thread": "new"}},
		"contains a credential":               {{"to": []string{"node-b"}, "content": "x", "thread": gatewayToken}},
		"no thread 00000000-0000-00":          {{"to": []string{"node-b"}, "content": "x", "thread": "00000000-0000-0000-0000-000000000000"}},
		"seconds must be an integer from":     {{"to": []string{"node-b"}, "content": "x", "seconds": 61}},
	} {
		for _, arguments := range in {
			_, failure := a.call("mesh_ask", arguments)
			assert.Contains(t, failure, want, arguments)
		}
	}
	question := arguments{"id": 1, "untrusted_content": arguments{"to": "node-b"}}
	for want, in := range map[string]arguments{
		"must not contain a question twice": {"pending": []any{question, question}},
		"mesh_await needs pending":          {},
		"pending must not be empty":         {"pending": []any{}},
	} {
		_, failure := a.call("mesh_await", in)
		assert.Contains(t, failure, want)
	}
	leak := a.must("mesh_ask", arguments{"to": []string{"node-b"}, "content": "x " + gatewayToken})
	assert.Contains(t, items(leak, "refused")[0]["error"], "live-gateway-token")
	assert.Empty(t, g.Requests(gatewaytest.SendMessage, gatewaytest.OpenThread))
}

// A result has room for one long answer. The second one stays pending, and the rest of a
// long answer is in its thread.
func TestAskToolBoundsItsResult(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t, gatewaytest.WithPeers("node-c"))
	a := newAgent(t, g)
	serveAnswers(t, g, "node-b", strings.Repeat("b", 30_000))
	serveAnswers(t, g, "node-c", strings.Repeat("c", 30_000))
	got := map[string]string{}
	result := a.must("mesh_ask", arguments{"to": []string{"node-b", "node-c"}, "content": "x"})
	for range 2 {
		require.Len(t, items(result, "answers"), 1)
		answer := items(result, "answers")[0]
		rest := a.pages("mesh_thread", arguments{"id": answer["thread_id"], "next_id": result["next_id"], "next_offset": result["next_offset"], "limit": 1})
		text := answer["untrusted_content"].(string) + rest
		got[text[:1]] = text
		if len(items(result, "pending")) > 0 {
			result = a.must("mesh_await", arguments{"pending": result["pending"]})
		}
	}
	assert.GreaterOrEqual(t, len(got["b"]), 30_000)
	assert.GreaterOrEqual(t, len(got["c"]), 30_000)
}

// fillThread sends messages 1 to n in a new thread and returns its id.
func fillThread(t *testing.T, g *gatewaytest.Gateway, name string, n int) string {
	t.Helper()
	c, err := client.New("node-b", g.Options()...)
	require.NoError(t, err)
	defer c.Close()
	thread, err := c.OpenThread(t.Context(), name)
	require.NoError(t, err)
	for i := range n {
		_, err := c.Send(t.Context(), client.SendRequest{To: "node-a", Kind: client.KindFYI, Content: fmt.Sprint("message ", i+1, "."), ThreadID: thread.ID})
		require.NoError(t, err)
	}
	return thread.ID
}

func TestThreadToolReachesTheNewest(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	a := newAgent(t, g)
	const n = 1200
	fillThread(t, g, "builds", n)
	var want strings.Builder
	for i := range n {
		fmt.Fprint(&want, "message ", i+1, ".")
	}
	assert.Equal(t, want.String(), a.pages("mesh_thread", arguments{"id": "builds"}))

	before := len(g.Requests())
	newest := a.must("mesh_thread", arguments{"id": "builds", "newest": true, "limit": 3})
	assert.Equal(t, "message 1198.message 1199.message 1200.", contents(newest))
	assert.Contains(t, newest["hidden"], "older messages")
	assert.Equal(t, map[string]any{"untrusted_content": "node-a"}, items(newest, "messages")[0]["to"])
	assert.Equal(t, false, items(newest, "messages")[0]["read"])
	assert.LessOrEqual(t, len(g.Requests())-before, 2, "the name and the messages")
	all := a.must("mesh_thread", arguments{"id": "builds", "newest": true, "limit": 1000})
	assert.True(t, strings.HasSuffix(contents(all), "message 1200."), "if not all fit, the newest do")
}

func TestThreadToolStatesWhatIsHidden(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	a := newAgent(t, g)
	id := fillThread(t, g, "builds", 2100)
	in, hidden, seen := arguments{"id": id, "next_id": 950}, 0, ""
	for range 10 {
		page := a.must("mesh_thread", in)
		seen += contents(page)
		if page["hidden"] != nil {
			hidden++
		}
		if page["next_id"] == nil {
			break
		}
		in["next_id"] = page["next_id"]
		if page["next_id"].(float64) > 1150 {
			break
		}
	}
	assert.Positive(t, hidden)
	assert.Contains(t, seen, "message 1000.message 1101.")
}
