package agent_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func TestAskLeavesTheQuestionWhenItsTimeEnds(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	ctx, hc := nettest.UntilSent(t.Context())
	c, b := connect(t, g, "node-a", client.WithHTTPClient(hc)), connect(t, g, "node-b")
	_, err := agent.Ask(ctx, c, question("node-b"))
	require.ErrorIs(t, err, context.Canceled)
	q := noAnswer(t, err).Question
	assert.Equal(t, int64(1), q.ID)
	require.EqualError(t, err, "mesh: no answer from node-b to question 1: context canceled")

	inbox := unreadOf(t, b)
	require.Len(t, inbox, 1)
	_, err = b.Reply(t.Context(), inbox[0], client.SendRequest{Kind: client.KindStatus, Content: "working on it"})
	require.NoError(t, err)
	_, err = b.Reply(t.Context(), inbox[0], client.SendRequest{Kind: client.KindAnswer, Content: "Yes."})
	require.NoError(t, err)
	assert.Len(t, unreadOf(t, c), 2, "an answer that arrives later stays unread")

	again := connect(t, g, "node-a") // after a restart
	answers, failed := results(t, agent.Await(t.Context(), again, client.MeshMessage{ID: q.ID, ToNode: q.ToNode, ThreadID: q.ThreadID, CreatedAt: q.CreatedAt}))
	assert.Empty(t, failed)
	assert.Equal(t, "Yes.", *answers["node-b"].Content)
	assert.Len(t, unreadOf(t, c), 1)

	answers, _ = results(t, agent.Await(t.Context(), again, q))
	assert.NotNil(t, answers["node-b"].ReadAt, "an answer that is read is found, too")
}

func TestBreakingOutOfAskAllLeavesTheOthers(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	bot(t, g, "node-b")
	bot(t, g, "node-c")
	ask := question("")
	first := ""
	for m, err := range agent.AskAll(t.Context(), c, []string{"node-b", "node-c"}, ask) {
		require.NoError(t, err)
		first = m.FromNode
		break
	}
	for m, err := range agent.Watch(t.Context(), c, agent.WatchOptions{Interval: 100 * time.Millisecond}) {
		require.NoError(t, err)
		assert.NotEqual(t, first, m.FromNode, "the other answer stays unread")
		break
	}
}

// What NoAnswerError says when the time ends before there is a receipt.
func TestAskSaysWhetherTheQuestionWasSent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		want   string
	}{
		"the gateway may have it": {500, "mesh: no receipt for a question to node-b: POST /messages: status 500: the message may have been delivered: "},
		"the gateway refuses it":  {422, "mesh: question to node-b not sent: POST /messages: status 422: "},
	} {
		g := gateway(t)
		g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: test.status, Body: "no", Times: -1})
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err := agent.Ask(ctx, c, question("node-b"))
			assert.Zero(t, noAnswer(t, err).Question.ID, name)
			require.ErrorContains(t, err, test.want, name)
			assert.Equal(t, test.status == 500, errors.Is(err, context.DeadlineExceeded), name)
			var failed *client.MeshGatewayError
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, test.status == 500, failed.Uncertain, name)
		})
	}
}

func TestCloseEndsAsk(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation == gatewaytest.ListMessages {
			_ = c.Close()
		}
		return nil
	})
	_, err := agent.Ask(t.Context(), c, question("node-b"))
	require.ErrorIs(t, err, net.ErrClosed)
	assert.NotZero(t, noAnswer(t, err).Question.ID)
}

// An answer isn't lost if marking it read fails.
func TestAskReturnsAnAnswerThatCannotBeMarked(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	bot(t, g, "node-b")
	g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation == gatewaytest.MarkMessageRead {
			return &gatewaytest.Fault{Status: 500}
		}
		return nil
	})
	c := connect(t, g, "node-a", quiet())
	for _, content := range []string{"Is the build green?", "And now?"} {
		answer, err := agent.Ask(t.Context(), c, client.SendRequest{To: "node-b", Content: content})
		require.NoError(t, err)
		assert.Equal(t, "node-b: "+content, answer.GetContent(), "not the answer that is still unread")
	}
	assert.Len(t, unreadOf(t, c), 2)
}

func TestAskReportsAQuestionThatMayHaveArrived(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{HangUp: true, AfterEffect: true})
	_, err := agent.Ask(t.Context(), connect(t, g, "node-a"), question("node-b"))
	assert.Zero(t, noAnswer(t, err).Question.ID)
	var failed *client.MeshGatewayError
	require.ErrorAs(t, err, &failed)
	assert.True(t, failed.Uncertain)
}
