package client_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func ids(rows []client.MeshMessage) []int64 {
	all := []int64{}
	for _, m := range rows {
		all = append(all, m.ID)
	}
	return all
}

func TestSentListsTheMessagesOfTheNode(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a", client.WithAliases(map[string]string{"builder": "node-b"}))
	toB, toC := g.Store("node-a", "node-b", "question", "1"), g.Store("node-a", "node-c", "fyi", "2")
	g.Store("node-b", "node-a", "answer", "3")
	own := g.Store("node-a", "node-a", "fyi", "4")
	require.NoError(t, connect(t, g, "node-c").MarkRead(t.Context(), toC))
	for name, test := range map[string]struct {
		opts client.SentOptions
		want []int64
	}{
		"all":    {client.SentOptions{}, []int64{own, toC, toB}},
		"to":     {client.SentOptions{ToNode: "builder"}, []int64{toB}},
		"kind":   {client.SentOptions{Kind: client.KindFYI}, []int64{own, toC}},
		"unread": {client.SentOptions{UnreadOnly: true}, []int64{own, toB}},
		"limit":  {client.SentOptions{Limit: 1}, []int64{own}},
		"thread": {client.SentOptions{ThreadID: "unknown"}, []int64{}},
	} {
		rows, err := c.Sent(t.Context(), test.opts)
		require.NoError(t, err, name)
		assert.NotNil(t, rows, name)
		assert.Equal(t, test.want, ids(rows), name)
	}
	_, err := c.Sent(t.Context(), client.SentOptions{Limit: 1001})
	assert.Equal(t, "Limit", valueError(t, err).Field)
	_, err = c.Pending(t.Context(), client.PendingOptions{Limit: 1001})
	assert.Equal(t, "Limit", valueError(t, err).Field)
	_, err = c.Pending(t.Context(), client.PendingOptions{Since: "\xff"})
	assert.Equal(t, "Since", valueError(t, err).Field)
}

// A server that shares messages has sent many claims.
func TestClaimsTakeNoPlaceInSent(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	kinds := []string{"fyi", "question", "answer", "status", "unblock"}
	var want []int64
	for i := range 150 {
		want = append(want, g.Store("node-a", "node-b", kinds[i%5], "text"))
		g.Store("node-a", "claims", "status", "claim")
	}
	slices.Reverse(want)
	for _, limit := range []int{1, 40, 100, 150} {
		rows, err := c.Sent(t.Context(), client.SentOptions{Limit: limit})
		require.NoError(t, err)
		assert.Equal(t, want[:limit], ids(rows))
	}
	rows, err := c.Sent(t.Context(), client.SentOptions{})
	require.NoError(t, err)
	assert.Equal(t, want[:100], ids(rows))
	rows, err = c.Sent(t.Context(), client.SentOptions{Limit: 30, Kind: client.KindStatus})
	require.NoError(t, err)
	assert.Len(t, rows, 30)

	for range 1000 {
		g.Store("node-a", "claims", "status", "claim")
	}
	rows, err = c.Sent(t.Context(), client.SentOptions{Limit: 100})
	require.NoError(t, err)
	assert.Len(t, rows, 100, "the status messages are older than 1000 claims, and the others are listed")
	requests := len(g.Requests(gatewaytest.ListMessages))
	rows, err = c.Sent(t.Context(), client.SentOptions{Limit: 10, ToNode: "claims"})
	require.NoError(t, err)
	assert.Len(t, rows, 10)
	assert.Len(t, g.Requests(gatewaytest.ListMessages), requests+1)
	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 200, Body: `[{"id":1,"from_node":"node-a","to_node":"claims","kind":"status","created_at":"t"}]`})
	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 503})
	rows, err = c.Sent(t.Context(), client.SentOptions{Limit: 1})
	assert.Equal(t, http.StatusServiceUnavailable, gatewayError(t, err).StatusCode)
	assert.Nil(t, rows)
}

// Rows that were not requested are dropped: older gateways ignore parameters.
func TestSentSelectsTheRowsAgain(t *testing.T) {
	t.Parallel()
	c := answering(t, http.StatusOK, "application/json", `[{"id":3,"from_node":"node-b","to_node":"node-a","kind":"answer","created_at":"t"},
		{"id":2,"from_node":"node-a","to_node":"node-c","kind":"question","created_at":"t"},
		{"id":1,"from_node":"node-a","to_node":"node-b","kind":"question","thread_id":"t-1","created_at":"t"}]`)
	rows, err := c.Sent(t.Context(), client.SentOptions{ToNode: "node-b", Kind: client.KindQuestion, ThreadID: "t-1"})
	require.NoError(t, err)
	assert.Equal(t, []int64{1}, ids(rows))
	rows, err = c.Pending(t.Context(), client.PendingOptions{})
	require.NoError(t, err)
	assert.Equal(t, []int64{2, 1}, ids(rows))
}

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

	pending := func(opts client.PendingOptions) []int64 {
		t.Helper()
		rows, err := a.Pending(t.Context(), opts)
		require.NoError(t, err)
		return ids(rows)
	}
	assert.Equal(t, []int64{other, third, second, first}, pending(client.PendingOptions{}))
	send(b, "node-a", client.KindAnswer, "t-2")
	assert.Equal(t, []int64{other, third, first}, pending(client.PendingOptions{}))
	assert.Equal(t, []int64{third, first}, pending(client.PendingOptions{ToNode: "node-b"}))
	assert.Equal(t, []int64{other}, pending(client.PendingOptions{ThreadID: "t-2"}))
	send(b, "node-a", client.KindAnswer, "")
	last := send(a, "node-b", client.KindQuestion, "") // not answered by the earlier answer
	assert.Equal(t, []int64{last, other, first}, pending(client.PendingOptions{}))
	send(b, "node-a", client.KindAnswer, "t-1")
	assert.Equal(t, []int64{last, other}, pending(client.PendingOptions{}))

	g.Reset()
	assert.Equal(t, []int64{}, pending(client.PendingOptions{}))
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
	rows, err := a.Pending(t.Context(), client.PendingOptions{})
	require.NoError(t, err)
	assert.Equal(t, []int64{open}, ids(rows), answered)
	assert.Equal(t, 4, count(g, "node-a")[gatewaytest.ListMessages])
}
