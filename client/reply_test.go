package client_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestSameReplySentTwiceArrivesOnce(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	question := client.MeshMessage{ID: g.Store("node-a", "node-b", "question", "Is the build green?"), FromNode: "node-a"}
	receiver := connect(t, g, "node-b")
	var ids []int64
	for _, content := range []string{"All green.", "All green.", "not yet"} {
		receipt, err := receiver.Reply(t.Context(), question, client.SendRequest{Kind: client.KindAnswer, Content: content})
		require.NoError(t, err)
		ids = append(ids, receipt.ID)
	}
	assert.Equal(t, ids[0], ids[1])
	assert.NotEqual(t, ids[0], ids[2])
	other := question
	other.ID++
	receipt, err := receiver.Reply(t.Context(), other, client.SendRequest{Kind: client.KindAnswer, Content: "All green."})
	require.NoError(t, err)
	assert.NotContains(t, ids, receipt.ID, "another message has another reply")
	newDatabase := question
	newDatabase.CreatedAt = "2026-11-22T07:54:15+00:00"
	receipt, err = receiver.Reply(t.Context(), newDatabase, client.SendRequest{Kind: client.KindAnswer, Content: "All green."})
	require.NoError(t, err)
	assert.NotContains(t, ids, receipt.ID, "a gateway with a new database uses the ids again")
	status, err := receiver.Reply(t.Context(), question, client.SendRequest{Kind: client.KindStatus, Content: "All green."})
	require.NoError(t, err)
	assert.NotContains(t, ids, status.ID, "another kind is another reply")
}

func TestReplySuggestsNoOtherNode(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	_, err := connect(t, g, "node-b").Reply(t.Context(), client.MeshMessage{ID: 1, FromNode: "node-aa"}, client.SendRequest{Content: "yes"})
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Empty(t, unknown.Near, "an answer to another node would be wrong")
}

// The name in a message is a node name. An alias of the same spelling must not send the reply to another node.
func TestReplyGoesToTheSenderAndNotToAnAlias(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-b", client.WithAliases(map[string]string{"node-a": "node-c"}))
	receipt, err := c.Reply(t.Context(), client.MeshMessage{ID: 1, FromNode: "node-a"}, client.SendRequest{Content: "yes"})
	require.NoError(t, err)
	assert.Equal(t, "node-a", receipt.ToNode)
}

func TestReplyKeepsTheFieldsOfItsRequest(t *testing.T) {
	t.Parallel()
	g, key := gateway(t, gatewaytest.WithThreads("t-1", "t-2")), "sk-"+strings.Repeat("aB1", 8)
	c := connect(t, g, "node-b")
	to := client.MeshMessage{ID: 1, FromNode: "node-a", CreatedAt: "2026-11-21T12:00:00+00:00", ThreadID: ptr("t-1"), RelatedTaskID: ptr("7")}
	receipt, err := c.Reply(t.Context(), to, client.SendRequest{Content: "done"})
	require.NoError(t, err)
	assert.Equal(t, []string{"answer", "t-1"}, []string{string(receipt.Kind), receipt.GetThreadID()})
	first, err := c.Reply(t.Context(), to, client.SendRequest{
		Kind: client.KindStatus, Content: key, ThreadID: "t-2", RelatedTaskID: "8", IdempotencyKey: "key", AllowRules: []int{4},
	})
	require.NoError(t, err)
	assert.Equal(t, "t-2", first.GetThreadID())
	again, err := c.Reply(t.Context(), client.MeshMessage{ID: 2, FromNode: "node-a"}, client.SendRequest{
		Kind: client.KindStatus, Content: key, ThreadID: "t-2", RelatedTaskID: "8", IdempotencyKey: "key", SkipSecretCheck: true,
	})
	require.NoError(t, err)
	assert.Equal(t, first.ID, again.ID)
	_, err = c.Reply(t.Context(), to, client.SendRequest{To: "node-a", Content: "x"})
	assert.Equal(t, "To", valueError(t, err).Field)
}
