package agent_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// bot answers a node's questions until the test ends.
func bot(t *testing.T, g *gatewaytest.Gateway, node string, opts ...client.Option) {
	t.Helper()
	c := connect(t, g, node, append(opts, quiet())...)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		_ = agent.Serve(ctx, c, func(ctx context.Context, q client.MeshMessage) error {
			_, err := c.Reply(ctx, q, client.SendRequest{Kind: client.KindAnswer, Content: node + ": " + q.GetContent()})
			return err
		}, agent.ServeOptions{Kinds: []client.Kind{client.KindQuestion}, Interval: 100 * time.Millisecond, OnError: func(client.MeshMessage, error) {}})
	})
	t.Cleanup(func() { cancel(); running.Wait() })
}

// results collects a sequence: answers by sender, and errors by recipient.
func results(t *testing.T, seq func(func(client.MeshMessage, error) bool)) (answers map[string]client.MeshMessage, failed map[string]*agent.NoAnswerError) {
	t.Helper()
	answers, failed = map[string]client.MeshMessage{}, map[string]*agent.NoAnswerError{}
	for m, err := range seq {
		if err == nil {
			answers[m.FromNode] = m
			continue
		}
		none := noAnswer(t, err)
		failed[none.Question.ToNode] = none
	}
	return answers, failed
}

func noAnswer(t *testing.T, err error) *agent.NoAnswerError {
	t.Helper()
	var none *agent.NoAnswerError
	require.ErrorAs(t, err, &none)
	require.ErrorIs(t, err, client.ErrMesh)
	return none
}

func unreadOf(t *testing.T, c *client.MeshClient) []client.MeshMessage {
	t.Helper()
	rows, err := c.Fetch(t.Context(), client.FetchOptions{UnreadOnly: true, Limit: 1000})
	require.NoError(t, err)
	return rows
}

// count returns how many requests the gateway received per operation, except for those
// from a node's Serve.
func count(g *gatewaytest.Gateway, node string) map[gatewaytest.Operation]int {
	counts := map[gatewaytest.Operation]int{}
	for _, r := range g.Requests() {
		if r.Operation != gatewaytest.ListMessages || r.Query.Get("to") == node || r.Query.Get("from") == node {
			counts[r.Operation]++
		}
	}
	return counts
}

func question(to string) client.SendRequest {
	return client.SendRequest{To: to, Content: "Is the build green?"}
}

func TestAskFindsTheAnswerBehindManyMessages(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	bot(t, g, "node-b")
	for i := range 2000 {
		g.Store([]string{"node-b", "node-c"}[i%2], "node-a", []string{"answer", "fyi"}[i/2%2], "another message")
	}
	c := connect(t, g, "node-a")
	answer, err := agent.Ask(t.Context(), c, question("node-b"))
	require.NoError(t, err)
	assert.Equal(t, "node-b: Is the build green?", answer.GetContent())
	counts := count(g, "node-a")
	assert.LessOrEqual(t, counts[gatewaytest.ListMessages], 10, "polls")
	assert.Equal(t, 1, counts[gatewaytest.OpenThread])
	thread, _, err := c.GetThread(t.Context(), answer.GetThreadID(), client.GetThreadOptions{})
	require.NoError(t, err)
	assert.Regexp(t, `^:ask-[A-Z2-7]{26}$`, thread.Name)
	assert.Len(t, unreadOf(t, c), 1000)
	mine, err := c.Fetch(t.Context(), client.FetchOptions{ThreadID: thread.ID})
	require.NoError(t, err)
	require.Len(t, mine, 1)
	assert.NotNil(t, mine[0].ReadAt, "the answer is marked read")
}

func TestAskAllHasOneResultForEachRecipient(t *testing.T) {
	t.Parallel()
	g := gateway(t, gatewaytest.WithPeers("node-d", "node-e", "node-f"))
	for _, node := range []string{"node-b", "node-c", "node-d", "node-e", "node-f"} {
		bot(t, g, node)
	}
	c := connect(t, g, "node-a", client.WithAliases(map[string]string{"builder": "node-b"}))
	answers, failed := results(t, agent.AskAll(t.Context(), c, []string{"builder", "node-c", "node-x", "node-d", "node-e", "node-f"}, question("")))
	require.Len(t, answers, 5)
	require.Len(t, failed, 1)
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, failed["node-x"], &unknown)
	assert.Zero(t, failed["node-x"].Question.ID)
	assert.ErrorContains(t, failed["node-x"], `mesh: question to node-x not sent: "node-x" is not registered`)
	for node, m := range answers {
		assert.Equal(t, node+": Is the build green?", m.GetContent())
		assert.Equal(t, answers["node-b"].ThreadID, m.ThreadID, "one thread for all")
	}
	assert.Equal(t, 1, count(g, "node-a")[gatewaytest.OpenThread])
	assert.Empty(t, unreadOf(t, c))
}

func TestEachRangeOverAskAllAsksAgain(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	bot(t, g, "node-b")
	seq := agent.AskAll(t.Context(), connect(t, g, "node-a"), []string{"node-b"}, question(""))
	threads := map[string]bool{}
	for range 2 {
		answers, failed := results(t, seq)
		require.Empty(t, failed)
		answer := answers["node-b"]
		threads[answer.GetThreadID()] = true
	}
	assert.Len(t, threads, 2, "each has its own thread")
}

// onlyError returns the error that a sequence consists of, or nil for an empty one.
func onlyError(t *testing.T, seq iter.Seq2[client.MeshMessage, error]) (only error) {
	t.Helper()
	for _, err := range seq {
		require.NoError(t, only, "there is one result")
		only = err
	}
	return only
}

func TestAskRejectsInvalidArguments(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a", client.WithAliases(map[string]string{"builder": "node-b"}))
	ctx := t.Context()
	ask := func(req client.SendRequest) error { _, err := agent.Ask(ctx, c, req); return err }
	askAll := func(to []string, req client.SendRequest) error { return onlyError(t, agent.AskAll(ctx, c, to, req)) }
	await := func(q ...client.MeshMessage) error { return onlyError(t, agent.Await(ctx, c, q...)) }
	for field, err := range map[string]error{
		"Kind":        ask(client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "x"}),
		"Content":     ask(client.SendRequest{To: "node-b"}),
		"To":          ask(client.SendRequest{Content: "x"}),
		"To own":      ask(question("node-a")),
		"To set":      askAll([]string{"node-b"}, question("node-b")),
		"To invalid":  askAll([]string{"node-b", "Node B"}, question("")),
		"to":          askAll(nil, question("")),
		"to twice":    askAll([]string{"node-b", "builder"}, question("")),
		"id":          await(client.MeshMessage{ToNode: "node-b"}),
		"ToNode":      await(client.MeshMessage{ID: 1}),
		"FromNode":    await(client.MeshMessage{ID: 1, ToNode: "node-b", FromNode: "node-c"}),
		"questions":   await(client.MeshMessage{ID: 1, ToNode: "node-b"}, client.MeshMessage{ID: 1, ToNode: "node-b"}),
		"MeshClient":  func() error { _, err := agent.Ask(ctx, new(client.MeshClient), question("node-b")); return err }(),
		"ctx":         func() error { _, err := agent.Ask(nil, c, question("node-b")); return err }(), //nolint:staticcheck // the test
		"AllowRules":  ask(client.SendRequest{To: "node-b", Content: "x", AllowRules: []int{0}}),
		"ThreadID \n": ask(client.SendRequest{To: "node-b", Content: "x", ThreadID: "\xff"}),
	} {
		want, _, _ := strings.Cut(field, " ")
		assert.Equal(t, want, valueError(t, err).Field, field)
	}
	require.NoError(t, await())
	assert.Empty(t, g.Requests())
}

func TestAskChecksTheQuestionBeforeItSends(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	leaking := question("node-b")
	leaking.Content = "sk-ant-" + strings.Repeat("example", 3)
	_, err := agent.Ask(t.Context(), c, leaking)
	var leak *client.MeshSecretLeakError
	require.ErrorAs(t, err, &leak)
	assert.Equal(t, "anthropic-api-key", leak.Finding.Rule.Name)
	_, err = agent.Ask(t.Context(), c, question("node-x"))
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Zero(t, count(g, "node-a")[gatewaytest.OpenThread]+count(g, "node-a")[gatewaytest.SendMessage], "no thread is created for a question that is not sent")
}

func TestAskInAThreadReturnsALaterAnswer(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c, b := connect(t, g, "node-a"), connect(t, g, "node-b")
	thread, err := c.OpenThread(t.Context(), "builds")
	require.NoError(t, err)
	say := func(from *client.MeshClient, to, text string, kind client.Kind) {
		_, err := from.Send(t.Context(), client.SendRequest{To: to, Kind: kind, Content: text, ThreadID: thread.ID})
		require.NoError(t, err)
	}
	say(b, "node-a", "an earlier answer", client.KindAnswer)
	bot(t, g, "node-b")
	var asking sync.WaitGroup
	for i := range 4 { // one at a time: each gets the answer to its own question
		asking.Go(func() {
			text := fmt.Sprint("question ", i)
			answer, err := agent.Ask(t.Context(), c, client.SendRequest{To: "node-b", Content: text, ThreadID: thread.ID})
			if assert.NoError(t, err) {
				assert.Equal(t, "node-b: "+text, answer.GetContent())
			}
		})
	}
	asking.Wait()
	assert.Equal(t, 1, count(g, "node-a")[gatewaytest.OpenThread])
}

func TestAskWithoutThreadsTakesTurns(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed} {
		g := gateway(t)
		g.Fail(gatewaytest.OpenThread, gatewaytest.Fault{Status: status, Times: -1, Body: `{"detail":"Not Found"}`})
		synctest.Test(t, func(t *testing.T) {
			bot(t, g, "node-b", inMemory(g)...)
			c := connect(t, g, "node-a", inMemory(g)...)
			var asking sync.WaitGroup
			for i := range 3 {
				asking.Go(func() {
					text := fmt.Sprint("question ", i)
					answer, err := agent.Ask(t.Context(), c, client.SendRequest{To: "node-b", Content: text})
					if assert.NoError(t, err) {
						assert.Equal(t, "node-b: "+text, answer.GetContent())
						assert.Nil(t, answer.ThreadID)
					}
				})
			}
			asking.Wait()
		})
	}
}

func TestAskWithAKeyIsSentOnce(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	bot(t, g, "node-b")
	bot(t, g, "node-c")
	c := connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{BaseDelay: 1}))
	req := question("node-b")
	req.IdempotencyKey = "nightly"
	first, err := agent.Ask(t.Context(), c, req)
	require.NoError(t, err)
	again, err := agent.Ask(t.Context(), c, req)
	require.NoError(t, err)
	assert.Equal(t, first.ID, again.ID)
	req.To = ""
	both, failed := results(t, agent.AskAll(t.Context(), c, []string{"node-b", "node-c"}, req))
	require.Empty(t, failed)
	same, failed := results(t, agent.AskAll(t.Context(), c, []string{"node-c", "node-b"}, req))
	require.Empty(t, failed)
	for node := range both {
		assert.Equal(t, both[node].ID, same[node].ID)
	}
	sent, err := c.Sent(t.Context(), client.SentOptions{})
	require.NoError(t, err)
	assert.Len(t, sent, 2, "the first question of AskAll is that of Ask")
}

func TestAskOfNodesWithLongNames(t *testing.T) {
	t.Parallel()
	long := []string{"a" + strings.Repeat("x", 63), "b" + strings.Repeat("x", 63)}
	g := gateway(t, gatewaytest.WithPeers(long...))
	for _, node := range long {
		bot(t, g, node)
	}
	answers, failed := results(t, agent.AskAll(t.Context(), connect(t, g, "node-a"), long, question("")))
	assert.Empty(t, failed)
	assert.Len(t, answers, 2)
}

func TestAwaitGivesTwoQuestionsTwoAnswers(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c, b := connect(t, g, "node-a"), connect(t, g, "node-b")
	thread, err := c.OpenThread(t.Context(), "builds")
	require.NoError(t, err)
	var asked []client.MeshMessage
	for _, text := range []string{"first", "second"} {
		receipt, err := c.Send(t.Context(), client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: text, ThreadID: thread.ID})
		require.NoError(t, err)
		asked = append(asked, *receipt)
	}
	for _, m := range slices.Backward(unreadOf(t, b)) {
		_, err := b.Reply(t.Context(), m, client.SendRequest{Kind: client.KindAnswer, Content: "to the " + m.GetContent()})
		require.NoError(t, err)
	}
	var texts []string
	for m, err := range agent.Await(t.Context(), c, asked[1], asked[0]) {
		require.NoError(t, err)
		texts = append(texts, m.GetContent())
	}
	assert.Equal(t, []string{"to the first", "to the second"}, texts)
}
