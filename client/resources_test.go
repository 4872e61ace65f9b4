package client_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

// These tests cover the fields of the generated types.

func TestEveryFieldOfAPeerIsDecoded(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", `[{"name":"node-b","url":"http://b","capabilities":{"runtime":"go"},"enabled":false,
		"last_health":"health","last_seen":"seen","registered_at":"registered","peer_token":"example","new":[1]},{"name":"node-c"}]`)
	peers, err := c.ListPeers(t.Context())
	require.NoError(t, err)
	require.Len(t, peers, 2)
	require.NotNil(t, peers[0].PeerToken)
	assert.Equal(t, "example", peers[0].PeerToken.Reveal())
	assert.Equal(t, []any{
		"node-b", ptr("http://b"), map[string]any{"runtime": "go"}, false, ptr("health"), ptr("seen"), ptr("registered"),
		map[string]json.RawMessage{"new": json.RawMessage("[1]")},
	}, fieldsOfPeer(peers[0]))
	none := (*string)(nil)
	assert.Equal(t, []any{"node-c", none, map[string]any{}, true, none, none, none, map[string]json.RawMessage(nil)}, fieldsOfPeer(peers[1]), "the defaults")
	assert.Nil(t, peers[1].PeerToken)
}

// fieldsOfPeer lists the fields explicitly, so that a field that is added later does not fail the test.
func fieldsOfPeer(p client.MeshPeer) []any {
	return []any{p.Name, p.URL, p.Capabilities, p.Enabled, p.LastHealth, p.LastSeen, p.RegisteredAt, p.AdditionalProperties}
}

func TestEveryFieldOfAMessageIsDecoded(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", `[{"id":7,"from_node":"node-b","to_node":"node-a","kind":"answer","content":"text",
		"created_at":"created","read_at":"read","related_task_id":"42","thread_id":"thread","new":null},
		{"id":8,"from_node":"node-b","to_node":"node-a","kind":"fyi","created_at":"created"}]`)
	inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	require.Len(t, inbox, 2)
	assert.Equal(t, []any{
		int64(7), "node-b", "node-a", client.KindAnswer, ptr("text"), "created", ptr("read"), ptr("42"), ptr("thread"),
		map[string]json.RawMessage{"new": json.RawMessage("null")},
	}, fieldsOfMessage(inbox[0]))
	none := (*string)(nil)
	assert.Equal(t, []any{
		int64(8), "node-b", "node-a", client.KindFYI, none, "created", none, none, none, map[string]json.RawMessage(nil),
	}, fieldsOfMessage(inbox[1]))
}

func fieldsOfMessage(m client.MeshMessage) []any {
	return []any{m.ID, m.FromNode, m.ToNode, m.Kind, m.Content, m.CreatedAt, m.ReadAt, m.RelatedTaskID, m.ThreadID, m.AdditionalProperties}
}

func ptr[T any](v T) *T { return &v }
