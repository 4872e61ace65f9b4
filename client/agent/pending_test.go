package agent_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestPendingListsQuestionsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	g := gateway(t, gatewaytest.WithThreads("t-1", "t-2"))
	a, b := connect(t, g, "node-a"), connect(t, g, "node-b")
	send := func(from *client.MeshClient, to string, kind client.Kind, thread string) int64 {
		t.Helper()
		m, err := from.Send(t.Context(), client.SendRequest{To: to, Kind: kind, Content: "x", ThreadID: thread})
		require.NoError(t, err)
		return m.ID
	}
	send(b, "node-a", client.KindAnswer, "t-1") // before the question
	first := send(a, "node-b", client.KindQuestion, "t-1")
	second := send(a, "node-b", client.KindQuestion, "t-2")
	third := send(a, "node-b", client.KindQuestion, "")
	other := send(a, "node-c", client.KindQuestion, "t-2")
	send(a, "node-b", client.KindFYI, "")
	send(b, "node-a", client.KindStatus, "t-1") // no answer

	pending := func(opts agent.PendingOptions) []int64 {
		t.Helper()
		rows, err := agent.Pending(t.Context(), a, opts)
		require.NoError(t, err)
		return ids(rows)
	}
	assert.Equal(t, []int64{other, third, second, first}, pending(agent.PendingOptions{}))
	send(b, "node-a", client.KindAnswer, "t-2")
	assert.Equal(t, []int64{other, third, first}, pending(agent.PendingOptions{}))
	assert.Equal(t, []int64{third, first}, pending(agent.PendingOptions{ToNode: "node-b"}))
	assert.Equal(t, []int64{other}, pending(agent.PendingOptions{ThreadID: "t-2"}))
	send(b, "node-a", client.KindAnswer, "")
	last := send(a, "node-b", client.KindQuestion, "") // not answered by the earlier answer
	assert.Equal(t, []int64{last, other, first}, pending(agent.PendingOptions{}))
	send(b, "node-a", client.KindAnswer, "t-1")
	assert.Equal(t, []int64{last, other}, pending(agent.PendingOptions{}))

	g.Reset()
	assert.Equal(t, []int64{}, pending(agent.PendingOptions{}))
}

func TestPendingFindsAnswersBehindManyOthers(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	a := connect(t, g, "node-a")
	answered, open := g.Store("node-a", "node-b", "question", "1"), g.Store("node-a", "node-c", "question", "2")
	g.Store("node-b", "node-a", "answer", "3")
	for i := range 1100 {
		g.Store("node-d", "node-a", "answer", fmt.Sprint(i))
	}
	rows, err := agent.Pending(t.Context(), a, agent.PendingOptions{})
	require.NoError(t, err)
	assert.Equal(t, []int64{open}, ids(rows), answered)
	assert.Equal(t, 4, count(g, "node-a")[gatewaytest.ListMessages])
}
