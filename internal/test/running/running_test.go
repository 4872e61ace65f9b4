// Package running has conversations between nodes that must go the same way with any
// gateway. By default that's the in-memory one. With REAL_GATEWAY_URL and
// MESH_GATEWAY_TOKEN it's a running one:
//
//	REAL_GATEWAY_URL=http://127.0.0.1:8787/gateway go test -count=1 ./internal/test/running
//
// The tests register nodes with random names, and leave nodes and messages behind.
package running_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// gateway returns client options.
func gateway(t *testing.T) []client.Option {
	t.Helper()
	if url := os.Getenv("REAL_GATEWAY_URL"); url != "" {
		return []client.Option{client.WithGatewayURL(url)}
	}
	return gatewaytest.New(t).Options()
}

func node(ctx context.Context, t *testing.T, opts []client.Option, role string) (*client.MeshClient, string) {
	t.Helper()
	name := role + "-" + strings.ToLower(rand.Text()[:12])
	c, err := client.New(name, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = c.Register(ctx, client.RegisterRequest{URL: "http://" + name})
	require.NoError(t, err)
	return c, name
}

func TestConversation(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	opts := gateway(t)
	asker, askerName := node(ctx, t, opts, "asker")
	answerer, answererName := node(ctx, t, opts, "answerer")
	_, silentName := node(ctx, t, opts, "silent")
	served := make(chan error, 1)
	serving, stopServing := context.WithCancel(ctx)
	go func() {
		served <- agent.Answer(serving, answerer, func(_ context.Context, q client.MeshMessage) (string, error) {
			return "answer to " + q.GetContent(), nil
		}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Interval: 200 * time.Millisecond}})
	}()

	answer, err := agent.Ask(ctx, asker, client.SendRequest{To: answererName, Kind: client.KindQuestion, Content: "first"})
	require.NoError(t, err)
	assert.Equal(t, []string{"answer to first", answererName, askerName}, []string{answer.GetContent(), answer.FromNode, answer.ToNode})

	enough, cancel := context.WithCancel(ctx)
	defer cancel()
	answered, missing := 0, 0
	for message, err := range agent.AskAll(enough, asker, []string{answererName, silentName}, client.SendRequest{Kind: client.KindQuestion, Content: "second"}) {
		var noAnswer *agent.NoAnswerError
		switch {
		case err == nil:
			answered++
			cancel()
			assert.Equal(t, "answer to second", message.GetContent())
		case errors.As(err, &noAnswer):
			missing++
			assert.Equal(t, silentName, noAnswer.Question.ToNode)
		default:
			t.Error(err)
		}
	}
	assert.Equal(t, []int{1, 1}, []int{answered, missing})

	sent, err := asker.Sent(ctx, client.SentOptions{})
	require.NoError(t, err)
	assert.Len(t, sent, 3)
	pending, err := agent.Pending(ctx, asker, agent.PendingOptions{})
	require.NoError(t, err)
	require.Len(t, pending, 1)
	assert.Equal(t, silentName, pending[0].ToNode)
	unread, err := asker.Fetch(ctx, client.FetchOptions{UnreadOnly: true})
	require.NoError(t, err)
	assert.Empty(t, unread, "answers are marked read")
	stopServing()
	require.NoError(t, <-served)
}

// Two programs for one node ask in the same thread, and each question must get its own
// answer. The gateway stores the questions' numbers.
func TestQuestionsInOneThread(t *testing.T) {
	t.Parallel()
	const programs, questions = 2, 10
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	opts := gateway(t)
	asker, askerName := node(ctx, t, opts, "asker")
	answerer, answererName := node(ctx, t, opts, "answerer")
	thread, err := asker.OpenThread(ctx, askerName+":build")
	require.NoError(t, err)
	ask := func(ctx context.Context, c *client.MeshClient, text string) (*client.MeshMessage, error) {
		return agent.Ask(ctx, c, client.SendRequest{To: answererName, Content: text, ThreadID: thread.ID})
	}

	sent, hc := nettest.UntilSent(ctx)
	hasty, err := client.New(askerName, append(opts, client.WithHTTPClient(hc))...)
	require.NoError(t, err)
	defer hasty.Close()
	_, err = ask(sent, hasty, "delete the backup?")
	var late *agent.NoAnswerError
	require.ErrorAs(t, err, &late)
	serving, stopServing := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() {
		served <- agent.Answer(serving, answerer, func(ctx context.Context, q client.MeshMessage) (string, error) {
			return agent.Conversation(ctx) + ": answer to " + q.GetContent(), nil
		}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Workers: 4, Interval: 200 * time.Millisecond}})
	}()
	var asking sync.WaitGroup
	for program := range programs {
		c, err := client.New(askerName, opts...)
		require.NoError(t, err)
		defer c.Close()
		for i := range questions {
			asking.Go(func() {
				text := fmt.Sprint("question ", program, " ", i)
				answer, err := ask(ctx, c, text)
				if assert.NoError(t, err) {
					assert.Equal(t, askerName+":build: answer to "+text, answer.GetContent())
				}
			})
		}
	}
	asking.Wait()
	for answer, err := range agent.Await(ctx, asker, late.Question) {
		require.NoError(t, err)
		assert.Contains(t, answer.GetContent(), "delete the backup?")
	}
	pending, err := agent.Pending(ctx, asker, agent.PendingOptions{ThreadID: thread.ID})
	require.NoError(t, err)
	assert.Empty(t, pending)
	stopServing()
	require.NoError(t, <-served)
}

// The gateway lists at most 100 threads, and a pair's list must not include those for
// single questions.
func TestThreadsOfQuestionsHideNoOther(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	opts := gateway(t)
	asker, askerName := node(ctx, t, opts, "asker")
	_, silentName := node(ctx, t, opts, "silent")
	names := []string{askerName + ":build", askerName + "-build"}
	for _, name := range names {
		_, err := asker.OpenThread(ctx, name)
		require.NoError(t, err)
	}
	for range 101 {
		sent, hc := nettest.UntilSent(ctx)
		hasty, err := client.New(askerName, append(opts, client.WithHTTPClient(hc))...)
		require.NoError(t, err)
		_, err = agent.Ask(sent, hasty, client.SendRequest{To: silentName, Content: "silent?"})
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, hasty.Close())
	}
	for _, name := range names {
		_, found, err := asker.FindThread(ctx, name)
		require.NoError(t, err)
		assert.True(t, found, name)
	}
	named, err := asker.ListThreads(ctx, client.ListThreadsOptions{Peer: "_", Limit: 100})
	require.NoError(t, err)
	for _, thread := range named {
		assert.NotContains(t, thread.Name, ":ask-")
	}
}
