package client_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// Every field of the source document reaches the field that has its name, and nothing else does.
func TestEveryFieldOfAPeer(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", `[{"name":"node-b","url":"http://b","capabilities":{"runtime":"go"},"enabled":false,
		"last_health":"health","last_seen":"seen","registered_at":"registered","peer_token":"example","new":[1]},{"name":"node-c"}]`)
	peers, err := c.ListPeers(t.Context())
	require.NoError(t, err)
	require.Len(t, peers, 2)
	require.NotNil(t, peers[0].PeerToken)
	assert.Equal(t, "example", peers[0].PeerToken.Reveal())
	assert.Equal(t, client.MeshPeer{
		Name: "node-b", URL: ptr("http://b"), Capabilities: map[string]any{"runtime": "go"}, Enabled: false,
		LastHealth: ptr("health"), LastSeen: ptr("seen"), RegisteredAt: ptr("registered"), PeerToken: peers[0].PeerToken,
		AdditionalProperties: map[string]json.RawMessage{"new": json.RawMessage("[1]")},
	}, peers[0])
	assert.Equal(t, client.MeshPeer{Name: "node-c", Capabilities: map[string]any{}, Enabled: true}, peers[1], "the defaults")
}

func TestEveryFieldOfAMessage(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", `[{"id":7,"from_node":"node-b","to_node":"node-a","kind":"answer","content":"text",
		"created_at":"created","read_at":"read","related_task_id":"42","thread_id":"thread","new":null},
		{"id":8,"from_node":"node-b","to_node":"node-a","kind":"fyi","created_at":"created"}]`)
	inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	assert.Equal(t, []client.MeshMessage{
		{
			ID: 7, FromNode: "node-b", ToNode: "node-a", Kind: client.KindAnswer, Content: ptr("text"), CreatedAt: "created",
			ReadAt: ptr("read"), RelatedTaskID: ptr("42"), ThreadID: ptr("thread"),
			AdditionalProperties: map[string]json.RawMessage{"new": json.RawMessage("null")},
		},
		{ID: 8, FromNode: "node-b", ToNode: "node-a", Kind: client.KindFYI, CreatedAt: "created"},
	}, inbox)
}

func TestTheFiveKinds(t *testing.T) {
	t.Parallel()
	kinds := []client.Kind{client.KindFYI, client.KindQuestion, client.KindAnswer, client.KindStatus, client.KindUnblock}
	assert.Equal(t, []client.Kind{"fyi", "question", "answer", "status", "unblock"}, kinds)
	for _, kind := range kinds {
		assert.True(t, kind.Valid(), kind)
	}
	for _, other := range []client.Kind{"", "FYI", "fyi ", "review_request", "null"} {
		assert.False(t, other.Valid(), other)
	}
}

func ptr[T any](v T) *T { return &v }

// A message becomes read by MarkRead and by nothing else, however often it is fetched and watched.
func TestOnlyMarkReadMakesAMessageRead(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	id := g.Store("node-b", "node-a", "question", "are you there?")
	g.Store("node-b", "node-a", "fyi", "another one")
	readAt := func(opts client.FetchOptions) map[int64]*string {
		inbox, err := c.Fetch(t.Context(), opts)
		require.NoError(t, err)
		times := make(map[int64]*string)
		for _, m := range inbox {
			times[m.ID] = m.ReadAt
		}
		return times
	}
	for range 2 {
		for m, err := range c.Watch(t.Context(), client.WatchOptions{}) {
			require.NoError(t, err)
			assert.Nil(t, m.ReadAt)
			if m.ID > id {
				break // the loop has gone on behind the first one
			}
		}
		assert.Equal(t, map[int64]*string{id: nil, id + 1: nil}, readAt(client.FetchOptions{UnreadOnly: true}))
	}
	require.NoError(t, c.MarkRead(t.Context(), id))
	after := readAt(client.FetchOptions{})
	assert.NotNil(t, after[id], "the time of the first mark")
	assert.Nil(t, after[id+1], "and of no other message")
	assert.Equal(t, map[int64]*string{id + 1: nil}, readAt(client.FetchOptions{UnreadOnly: true}))

	require.Error(t, c.MarkRead(t.Context(), id))
	assert.Equal(t, after, readAt(client.FetchOptions{}), "the first time stays")
	assert.Len(t, g.Requests(gatewaytest.MarkMessageRead), 2)
}
