package client_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

func TestSameReplySentTwiceArrivesOnce(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	question := client.MeshMessage{ID: g.Store("node-a", "node-b", "question", "Is the build green?"), FromNode: "node-a"}
	receiver := connect(t, g, "node-b")
	var ids []int64
	for _, content := range []string{"All green.", "All green.", "not yet"} {
		receipt, err := receiver.Reply(t.Context(), question, client.KindAnswer, content)
		require.NoError(t, err)
		ids = append(ids, receipt.ID)
	}
	assert.Equal(t, ids[0], ids[1])
	assert.NotEqual(t, ids[0], ids[2])
	other := question
	other.ID++
	receipt, err := receiver.Reply(t.Context(), other, client.KindAnswer, "All green.")
	require.NoError(t, err)
	assert.NotContains(t, ids, receipt.ID, "another message has another reply")
	newDatabase := question
	newDatabase.CreatedAt = "2026-11-22T07:54:15+00:00"
	receipt, err = receiver.Reply(t.Context(), newDatabase, client.KindAnswer, "All green.")
	require.NoError(t, err)
	assert.NotContains(t, ids, receipt.ID, "a gateway with a new database uses the ids again")
	status, err := receiver.Reply(t.Context(), question, client.KindStatus, "All green.")
	require.NoError(t, err)
	assert.NotContains(t, ids, status.ID, "another kind is another reply")
}

func TestReplySuggestsNoOtherNode(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	_, err := connect(t, g, "node-b").Reply(t.Context(), client.MeshMessage{ID: 1, FromNode: "node-aa"}, client.KindAnswer, "yes")
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Empty(t, unknown.Near, "an answer to another node would be wrong")
}

// The name in a message is a node name. An alias of the same spelling must not send the reply to another node.
func TestReplyGoesToTheSenderAndNotToAnAlias(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-b", client.WithAliases(map[string]string{"node-a": "node-c"}))
	receipt, err := c.Reply(t.Context(), client.MeshMessage{ID: 1, FromNode: "node-a"}, client.KindAnswer, "yes")
	require.NoError(t, err)
	assert.Equal(t, "node-a", receipt.ToNode)
}
