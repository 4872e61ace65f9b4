package client_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

func TestKindValid(t *testing.T) {
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

func TestOnlyMarkReadMarksAMessageRead(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	id := g.Store("node-b", "node-a", "question", "Is the build green?")
	g.Store("node-b", "node-a", "fyi", "another message")
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
		for m, err := range agent.Watch(t.Context(), c, agent.WatchOptions{}) {
			require.NoError(t, err)
			assert.Nil(t, m.ReadAt)
			if m.ID > id {
				break // both messages have been yielded
			}
		}
		assert.Equal(t, map[int64]*string{id: nil, id + 1: nil}, readAt(client.FetchOptions{UnreadOnly: true}))
	}
	require.NoError(t, c.MarkRead(t.Context(), id))
	after := readAt(client.FetchOptions{})
	assert.NotNil(t, after[id], "the message is marked")
	assert.Nil(t, after[id+1], "no other message is marked")
	assert.Equal(t, map[int64]*string{id + 1: nil}, readAt(client.FetchOptions{UnreadOnly: true}))

	require.Error(t, c.MarkRead(t.Context(), id))
	assert.Equal(t, after, readAt(client.FetchOptions{}), "the second MarkRead changes nothing")
	assert.Len(t, g.Requests(gatewaytest.MarkMessageRead), 2)
}

func TestOwnMessagesAreRemovedFromTheOwnInboxOnly(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Store("node-a", "node-a", "fyi", "to itself")
	g.Store("node-b", "node-a", "fyi", "from another node")
	for _, opts := range []client.FetchOptions{{}, {ToNode: "node-a"}} {
		inbox, err := connect(t, g, "node-a").Fetch(t.Context(), opts)
		require.NoError(t, err)
		require.Len(t, inbox, 1)
		assert.Equal(t, "node-b", inbox[0].FromNode)
	}
	inbox, err := connect(t, g, "node-b").Fetch(t.Context(), client.FetchOptions{ToNode: "node-a"})
	require.NoError(t, err)
	assert.Len(t, inbox, 2, "another inbox is unfiltered")
	assert.Empty(t, g.Requests(gatewaytest.MarkMessageRead), "reading marks nothing read")
}

func TestMarkReadRejectsInvalidIDs(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for _, id := range []int64{0, -1} {
		assert.Equal(t, "id", valueError(t, c.MarkRead(t.Context(), id)).Field)
	}
	assert.Empty(t, g.Requests())
}

func TestRelatedTaskIDIsAStringAndANumberOnTheWire(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	a, b := connect(t, g, "node-a"), connect(t, g, "node-b")
	req := hello("node-b")
	req.RelatedTaskID = "9007199254740993" // 2^53 + 1: a float would lose it
	_, err := a.Send(t.Context(), req)
	require.NoError(t, err)
	assert.Contains(t, g.Requests(gatewaytest.SendMessage)[0].Body, `"related_task_id":"9007199254740993"`)

	inbox, err := b.Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	require.Len(t, inbox, 1)
	assert.Equal(t, "9007199254740993", *inbox[0].RelatedTaskID)

	req.RelatedTaskID = "task-1"
	_, err = a.Send(t.Context(), req)
	assert.Equal(t, 422, gatewayError(t, err).StatusCode)
}

func TestReceiptHasNoContent(t *testing.T) {
	t.Parallel()
	receipt, err := connect(t, gateway(t), "node-a").Send(t.Context(), hello("node-b"))
	require.NoError(t, err)
	assert.Nil(t, receipt.Content)
	assert.Equal(t, int64(1), receipt.ID)
	assert.Equal(t, client.KindFYI, receipt.Kind)
	assert.NotEmpty(t, receipt.CreatedAt)
}

func TestUnknownThreadIsA500ThatIsNotRepeated(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	req := hello("node-b")
	req.ThreadID = "3f0f8a53-0000-4000-8000-000000000000"
	_, err := connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{})).Send(t.Context(), req)
	failed := gatewayError(t, err)
	assert.Equal(t, 500, failed.StatusCode)
	assert.Equal(t, "Internal Server Error", failed.Body)
	assert.False(t, failed.Delivered)
	assert.Len(t, g.Requests(gatewaytest.SendMessage), 1)
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	req := hello("node-b")
	req.IdempotencyKey = "k-1"
	first, err := c.Send(t.Context(), req)
	require.NoError(t, err)
	again, err := c.Send(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, first, again)

	req.Content = "something else"
	_, err = c.Send(t.Context(), req)
	assert.Equal(t, 409, gatewayError(t, err).StatusCode)

	_, err = c.Send(t.Context(), hello("node-b"))
	require.NoError(t, err)
	assert.NotContains(t, g.Requests(gatewaytest.SendMessage)[3].Body, "idempotency_key", "none is made up without WithRetry")

	req.IdempotencyKey = long("é", 129)
	_, err = c.Send(t.Context(), req)
	assert.Equal(t, "IdempotencyKey", valueError(t, err).Field)
	req.IdempotencyKey = long("é", 128)
	_, err = c.Send(t.Context(), req)
	require.NoError(t, err)
}

func TestMarkReadTwiceIs404(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	id := g.Store("node-b", "node-a", "fyi", "hello")
	require.NoError(t, c.MarkRead(t.Context(), id))
	err := c.MarkRead(t.Context(), id)
	failed := gatewayError(t, err)
	assert.Equal(t, 404, failed.StatusCode)
	assert.Equal(t, fmt.Sprintf("/messages/%d/read", id), failed.Path)
	assert.Contains(t, failed.Body, "message not found or already read")
	assert.Empty(t, g.Requests(gatewaytest.MarkMessageRead)[0].Body)
	assert.Equal(t, 404, gatewayError(t, c.MarkRead(t.Context(), 99_999_999)).StatusCode)
}

func TestTimestampsAreNotChanged(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"2026-11-21T07:54:15.930425+00:00", "2026-11-21T07:54:15+00:00", "2026-11-21T07:54:15", "yesterday"} {
		c := answering(t, 200, "application/json",
			fmt.Sprintf(`[{"id":1,"from_node":"node-b","to_node":"node-a","kind":"fyi","created_at":%q,"read_at":%q}]`, at, at))
		inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
		require.NoError(t, err)
		assert.Equal(t, at, inbox[0].CreatedAt)
		assert.Equal(t, at, *inbox[0].ReadAt)
	}
}

func TestContentIsLimitedAndNeverTruncated(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for _, content := range []string{"", long("é", 200_001), "caf\xe9"} {
		req := hello("node-b")
		req.Content = content
		_, err := c.Send(t.Context(), req)
		assert.Equal(t, "Content", valueError(t, err).Field)
		assert.Empty(t, valueError(t, err).Value)
	}
	assert.Empty(t, g.Requests(), "nothing is sent, not even for the registry")

	req := hello("node-b")
	req.Content = long("é ", 100_000)
	_, err := c.Send(t.Context(), req)
	require.NoError(t, err)
	inbox, err := connect(t, g, "node-b").Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	assert.Equal(t, req.Content, *inbox[0].Content)
}

// No other test fails if the document adds or removes a kind: a Kind is a string, and the
// constants stay.
func TestKindsAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	checker, err := contract.New("gateway")
	require.NoError(t, err)
	var exported []any
	for _, kind := range []client.Kind{client.KindFYI, client.KindQuestion, client.KindAnswer, client.KindStatus, client.KindUnblock} {
		exported = append(exported, string(kind))
	}
	documented := checker.Document().Components.Schemas["Kind"].Value.Enum
	assert.ElementsMatch(t, documented, exported)

	_, err = connect(t, gateway(t), "node-a").Send(t.Context(), client.SendRequest{To: "node-b", Kind: "gossip", Content: "x"})
	for _, kind := range documented {
		assert.ErrorContains(t, err, kind.(string), "the error lists every kind")
	}
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
