package agent_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/label"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// inThread returns a question to node-b in a thread.
func inThread(thread *client.Thread, text string) client.SendRequest {
	return client.SendRequest{To: "node-b", Content: text, ThreadID: thread.ID}
}

func openThread(t *testing.T, c *client.MeshClient, name string) *client.Thread {
	t.Helper()
	thread, err := c.OpenThread(t.Context(), name)
	require.NoError(t, err)
	return thread
}

// askBriefly asks until the question is sent, and returns it.
func askBriefly(t *testing.T, g *gatewaytest.Gateway, node string, req client.SendRequest) client.MeshMessage {
	t.Helper()
	ctx, hc := nettest.UntilSent(t.Context())
	_, err := agent.Ask(ctx, connect(t, g, node, client.WithHTTPClient(hc)), req)
	require.ErrorIs(t, err, context.Canceled)
	return noAnswer(t, err).Question
}

// replyTo answers the unread question with a text.
func replyTo(t *testing.T, b *client.MeshClient, text, answer string) {
	t.Helper()
	for _, m := range unreadOf(t, b) {
		if m.GetContent() == text {
			_, err := b.Reply(t.Context(), m, client.SendRequest{Kind: client.KindAnswer, Content: answer})
			require.NoError(t, err)
			require.NoError(t, b.MarkRead(t.Context(), m.ID))
		}
	}
}

// Two programs under one name ask in one thread, each several questions at a time. The
// answers come in any order.
func TestQuestionsInAThreadGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	const programs, questions = 2, 10
	g := gateway(t)
	thread := openThread(t, connect(t, g, "node-a"), "build")
	b := connect(t, g, "node-b", quiet())
	ctx, stop := context.WithCancel(t.Context())
	var serving, asking sync.WaitGroup
	serving.Go(func() {
		_ = agent.Answer(ctx, b, func(_ context.Context, q client.MeshMessage) (string, error) {
			return "answer to " + q.GetContent(), nil
		}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Workers: 4, Interval: 100 * time.Millisecond, OnError: func(client.MeshMessage, error) {}}})
	})
	for program := range programs {
		c := connect(t, g, "node-a")
		for i := range questions {
			asking.Go(func() {
				text := fmt.Sprint("question ", program, " ", i)
				answer, err := agent.Ask(t.Context(), c, inThread(thread, text))
				if assert.NoError(t, err) {
					assert.Equal(t, "answer to "+text, answer.GetContent())
				}
			})
		}
	}
	asking.Wait()
	stop()
	serving.Wait()
	c := connect(t, g, "node-a")
	sent, err := c.Sent(t.Context(), client.SentOptions{ThreadID: thread.ID})
	require.NoError(t, err)
	assert.Len(t, sent, programs*questions, "every question is in the thread")
	numbers := map[string]bool{}
	for _, q := range sent {
		isNumber(t, q.GetRelatedTaskID())
		numbers[q.GetRelatedTaskID()] = true
	}
	assert.Len(t, numbers, programs*questions)
}

func TestALateAnswerIsNotTheAnswerToTheNextQuestion(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c, b := connect(t, g, "node-a"), connect(t, g, "node-b")
	thread := openThread(t, c, "build")
	first := askBriefly(t, g, "node-a", inThread(thread, "delete the backup?"))
	isNumber(t, first.GetRelatedTaskID())
	replyTo(t, b, "delete the backup?", "Yes.")
	second := askBriefly(t, g, "node-a", inThread(thread, "delete the database?"))

	pending, err := agent.Pending(t.Context(), c, agent.PendingOptions{})
	require.NoError(t, err)
	require.Len(t, pending, 1, "the answer to the first is not one to the second")
	assert.Equal(t, second.ID, pending[0].ID)
	replyTo(t, b, "delete the database?", "No!")

	again := connect(t, g, "node-a") // after a restart
	answers, failed := results(t, agent.Await(t.Context(), again, second))
	assert.Empty(t, failed)
	assert.Equal(t, "No!", *answers["node-b"].Content)
	// A caller that kept less than the receipt gets the same.
	answers, failed = results(t, agent.Await(t.Context(), again, client.MeshMessage{ID: second.ID, ToNode: "node-b", ThreadID: &thread.ID}))
	assert.Empty(t, failed)
	assert.Equal(t, "No!", *answers["node-b"].Content)
	var texts []string
	for m, err := range agent.Await(t.Context(), again, second, first) {
		require.NoError(t, err)
		texts = append(texts, m.GetContent())
	}
	assert.ElementsMatch(t, []string{"Yes.", "No!"}, texts)
}

func TestPendingFindsAnEarlierQuestionOfAThread(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c, b := connect(t, g, "node-a"), connect(t, g, "node-b")
	thread := openThread(t, c, "build")
	for i := range 3 {
		askBriefly(t, g, "node-a", inThread(thread, fmt.Sprint("q", i)))
	}
	old, err := c.Send(t.Context(), client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: "without a number", ThreadID: thread.ID})
	require.NoError(t, err)
	replyTo(t, b, "q2", "answer")
	_, err = b.Send(t.Context(), client.SendRequest{To: "node-a", Kind: client.KindAnswer, Content: "without a number", ThreadID: thread.ID, RelatedTaskID: "42"})
	require.NoError(t, err)
	pending, err := agent.Pending(t.Context(), c, agent.PendingOptions{})
	require.NoError(t, err)
	var ids []int64
	for _, q := range slices.Backward(pending) {
		ids = append(ids, q.ID)
	}
	assert.Equal(t, []int64{1, 2}, ids, "question %d, without a number, has the other answer without one", old.ID)
}

// The gateway lists at most 100 threads.
func TestThreadsOfQuestionsHideNoOther(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	names := []string{"build", "node-a↔node-b:build", "node-b:build", "ask"}
	for _, name := range names {
		openThread(t, c, name)
	}
	for i := range 101 {
		req := question("node-b")
		req.Content = fmt.Sprint("question ", i)
		ctx, cancel := context.WithCancel(t.Context())
		g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
			if r.Operation == gatewaytest.SendMessage {
				cancel()
			}
			return nil
		})
		_, err := agent.Ask(ctx, c, req)
		require.ErrorIs(t, err, context.Canceled)
	}
	for _, name := range names {
		found, ok, err := c.FindThread(t.Context(), name)
		require.NoError(t, err, name)
		require.True(t, ok, name)
		assert.Equal(t, name, found.Name)
	}
	all, err := c.ListThreads(t.Context(), client.ListThreadsOptions{Limit: 100})
	require.NoError(t, err)
	assert.Len(t, all, 100)
	named, err := c.ListThreads(t.Context(), client.ListThreadsOptions{Peer: "_", Limit: 100})
	require.NoError(t, err)
	assert.Len(t, named, len(names))
}

// A handler and its questions stay in the message's thread.
func TestQuestionsOfAHandlerAreInItsConversation(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	type seen struct{ node, conversation, label string }
	var mu sync.Mutex
	var contexts []seen
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	t.Cleanup(stop)
	for node, next := range map[string]string{"node-b": "node-c", "node-c": ""} {
		c := connect(t, g, node, quiet())
		serving.Go(func() {
			_ = agent.Answer(ctx, c, func(ctx context.Context, _ client.MeshMessage) (string, error) {
				mu.Lock()
				contexts = append(contexts, seen{node, agent.Conversation(ctx), label.Of(ctx)["thread"]})
				mu.Unlock()
				if next == "" {
					return "Yes.", nil
				}
				answer, err := agent.Ask(ctx, c, client.SendRequest{To: next, Content: "asked on"})
				return answer.GetContent(), err
			}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Interval: 100 * time.Millisecond, OnError: func(client.MeshMessage, error) {}}})
		})
	}
	a := connect(t, g, "node-a")
	_, err := agent.Ask(t.Context(), a, inThread(openThread(t, a, "build"), "green?"))
	require.NoError(t, err)
	mu.Lock()
	assert.Equal(t, []seen{{"node-b", "build", "build"}, {"node-c", "build", "build"}}, contexts)
	contexts = nil
	mu.Unlock()
	_, err = agent.Ask(t.Context(), a, question("node-b"))
	require.NoError(t, err)
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []seen{{"node-b", "", ""}, {"node-c", "", ""}}, contexts, "a question in a thread of its own belongs to none")
}
