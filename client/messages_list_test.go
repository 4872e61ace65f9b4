package client_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestFetchSince(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Store("node-b", "node-a", "fyi", "first")
	c := connect(t, g, "node-a")
	inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	g.Store("node-b", "node-a", "fyi", "second")
	newer, err := c.Fetch(t.Context(), client.FetchOptions{Since: inbox[0].CreatedAt})
	require.NoError(t, err)
	require.Len(t, newer, 1)
	assert.Equal(t, "second", newer[0].GetContent())
}

func TestLimitsOfTheInbox(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for i := range 150 {
		g.Store("node-b", "node-a", "fyi", fmt.Sprint(i))
	}
	inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	assert.Len(t, inbox, 100, "the default of the gateway")
	assert.Equal(t, "149", *inbox[0].Content, "newest first")
	inbox, err = c.Fetch(t.Context(), client.FetchOptions{Limit: 1000})
	require.NoError(t, err)
	assert.Len(t, inbox, 150)

	before := len(g.Requests())
	for _, limit := range []int{-1, 1001} {
		_, err = c.Fetch(t.Context(), client.FetchOptions{Limit: limit})
		assert.Equal(t, "Limit", valueError(t, err).Field)
	}
	assert.Len(t, g.Requests(), before, "nothing is sent")
}

func TestInboxIsSelectedByTheParameterTo(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for _, opts := range []client.FetchOptions{{}, {ToNode: "node-c", UnreadOnly: true, Limit: 5}} {
		_, err := c.Fetch(t.Context(), opts)
		require.NoError(t, err)
	}
	requests := g.Requests(gatewaytest.ListMessages)
	assert.Equal(t, "to=node-a", requests[0].Query.Encode(), "no other parameter")
	assert.Equal(t, "limit=5&to=node-c&unread_only=true", requests[1].Query.Encode())
}

// 1.2 MB at 100 KB/s take longer than the timeout, ten seconds.
func TestAListIsReadOnASlowLink(t *testing.T) {
	t.Parallel()
	g := slowGateway(t)
	synctest.Test(t, func(t *testing.T) {
		c := servingInMemory(t, g.Handler().ServeHTTP, client.WithToken(token))
		rows, err := c.Fetch(t.Context(), client.FetchOptions{Limit: 1000})
		require.NoError(t, err)
		assert.Len(t, rows, 200)
		m, err := agent.GetMessage(t.Context(), c, 1)
		require.NoError(t, err)
		assert.EqualValues(t, 1, m.ID)
	})
	assert.Equal(t, []int{1000, 1000}, limits(g), "an old message is not searched among fewer ones")
}

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
	_, err = agent.Pending(t.Context(), c, agent.PendingOptions{Limit: 1001})
	assert.Equal(t, "Limit", valueError(t, err).Field)
	_, err = agent.Pending(t.Context(), c, agent.PendingOptions{Since: "\xff"})
	assert.Equal(t, "Since", valueError(t, err).Field)
}

// A server that shares messages has sent many claims. ListMessages returns the gateway's
// rows unchanged: own messages, other nodes' messages, and claims.
func TestListMessages(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a", client.WithAliases(map[string]string{"b": "node-b", "me": "node-a"}))
	g.Store("node-b", "node-a", "question", "1")
	g.Store("node-a", "node-a", "fyi", "2")
	g.Store("node-b", "node-c", "fyi", "3")
	g.Store("node-a", "claims", "status", "4")
	read := g.Store("node-b", "node-a", "fyi", "5")
	require.NoError(t, c.MarkRead(t.Context(), read))
	for name, test := range map[string]struct {
		query client.ListMessagesOptions
		want  string
	}{
		"all":         {client.ListMessagesOptions{}, "54321"},
		"limit":       {client.ListMessagesOptions{Limit: 2}, "54"},
		"to an alias": {client.ListMessagesOptions{ToNode: "me"}, "521"},
		"from":        {client.ListMessagesOptions{FromNode: "b"}, "531"},
		"unread":      {client.ListMessagesOptions{ToNode: "node-a", UnreadOnly: true}, "21"},
		"kind":        {client.ListMessagesOptions{Kind: client.KindStatus}, "4"},
		"thread":      {client.ListMessagesOptions{ThreadID: threadID}, ""},
		"extra":       {client.ListMessagesOptions{Extra: url.Values{"newer": {"x"}}}, "54321"},
	} {
		messages, err := c.ListMessages(t.Context(), test.query)
		require.NoError(t, err, name)
		assert.NotNil(t, messages, name)
		got := ""
		for _, m := range messages {
			got += m.GetContent()
		}
		assert.Equal(t, test.want, got, name)
	}
	_, err := c.ListMessages(t.Context(), client.ListMessagesOptions{Limit: 1001})
	assert.Equal(t, "Limit", valueError(t, err).Field)
	_, err = c.ListMessages(t.Context(), client.ListMessagesOptions{Extra: url.Values{"since": {"x"}}})
	valueError(t, err)
	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 500})
	_, err = c.ListMessages(t.Context(), client.ListMessagesOptions{})
	assert.Equal(t, 500, gatewayError(t, err).StatusCode)
}

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
	rows, err = agent.Pending(t.Context(), c, agent.PendingOptions{})
	require.NoError(t, err)
	assert.Equal(t, []int64{2, 1}, ids(rows))
}
