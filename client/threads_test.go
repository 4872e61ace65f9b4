package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestOpenThreadCreatesAThreadOnce(t *testing.T) {
	t.Parallel()
	c := connect(t, gateway(t), "node-a")
	first, err := c.OpenThread(t.Context(), "node-a↔node-b:builds")
	require.NoError(t, err)
	assert.Equal(t, "node-a↔node-b", first.PeerPair)
	assert.Equal(t, "builds", first.Topic)
	assert.True(t, *first.Created)
	again, err := c.OpenThread(t.Context(), "node-a↔node-b:builds")
	require.NoError(t, err)
	assert.Equal(t, first.ID, again.ID)
	assert.False(t, *again.Created)
}

func TestConversationInAThread(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	sender, receiver := connect(t, g, "node-a"), connect(t, g, "node-b")
	thread, err := sender.OpenThread(t.Context(), "node-a↔node-b:builds")
	require.NoError(t, err)
	_, err = sender.Send(t.Context(), client.SendRequest{
		To: "node-b", Kind: client.KindQuestion, Content: "Is the build green?", ThreadID: thread.ID, RelatedTaskID: "42",
	})
	require.NoError(t, err)
	inbox, err := receiver.Fetch(t.Context(), client.FetchOptions{FromNode: "node-a", Kind: client.KindQuestion, ThreadID: thread.ID})
	require.NoError(t, err)
	require.Len(t, inbox, 1)
	_, err = receiver.Reply(t.Context(), inbox[0], client.KindAnswer, "All green.")
	require.NoError(t, err)

	_, messages, err := sender.GetThread(t.Context(), thread.ID, client.ThreadOptions{})
	require.NoError(t, err)
	require.Len(t, messages, 2)
	assert.Equal(t, []string{"Is the build green?", "All green."}, []string{messages[0].GetContent(), messages[1].GetContent()})
	assert.Equal(t, "node-a", messages[1].ToNode)
	assert.Equal(t, "42", messages[1].GetRelatedTaskID())
	assert.Equal(t, thread.ID, messages[1].GetThreadID(), "a reply to a message of a thread stays in it")
}

func TestListThreadsFilters(t *testing.T) {
	t.Parallel()
	c := connect(t, gateway(t), "node-a", client.WithAliases(map[string]string{"first": "node-a"}))
	for _, name := range []string{"node-a↔node-b:builds", "node-a↔node-c:builds", "node-b↔node-c:tests"} {
		_, err := c.OpenThread(t.Context(), name)
		require.NoError(t, err)
	}
	for name, row := range map[string]struct {
		query client.ThreadQuery
		want  int
	}{
		"all":   {client.ThreadQuery{}, 3},
		"peer":  {client.ThreadQuery{Peer: "node-a"}, 2},
		"topic": {client.ThreadQuery{Topic: "tests"}, 1},
		"both":  {client.ThreadQuery{Peer: "node-c", Topic: "builds"}, 1},
		"alias": {client.ThreadQuery{Peer: "first"}, 2},
		"limit": {client.ThreadQuery{Limit: 2}, 2},
		"100":   {client.ThreadQuery{Limit: 100}, 3},
	} {
		threads, err := c.ListThreads(t.Context(), row.query)
		require.NoError(t, err, name)
		assert.Len(t, threads, row.want, name)
	}
	empty, err := connect(t, gateway(t), "node-a").ListThreads(t.Context(), client.ThreadQuery{})
	require.NoError(t, err)
	assert.NotNil(t, empty)
}

func TestThreadNameHasAtMost128Characters(t *testing.T) {
	t.Parallel()
	c := connect(t, gateway(t), "node-a")
	longest := "node-a↔node-b:" + long("é", 114)
	thread, err := c.OpenThread(t.Context(), longest)
	require.NoError(t, err)
	assert.Equal(t, longest, thread.Name)
	_, err = c.OpenThread(t.Context(), longest+"é")
	assert.Equal(t, "thread name", valueError(t, err).Field)
}

func TestThreadsRejectInvalidArguments(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	_, err := c.OpenThread(t.Context(), "")
	assert.Equal(t, "thread name", valueError(t, err).Field)
	_, err = c.OpenThread(t.Context(), long("é", 129))
	assert.Equal(t, "thread name", valueError(t, err).Field)
	for _, id := range []string{"", ".", "..", "a\nb", "\xff"} {
		_, _, err = c.GetThread(t.Context(), id, client.ThreadOptions{})
		assert.Equal(t, "thread id", valueError(t, err).Field, "%q", id)
		_, err = c.GetPeer(t.Context(), id)
		assert.Equal(t, "peer", valueError(t, err).Field, "%q", id)
	}
	_, _, err = c.GetThread(t.Context(), "thread-1", client.ThreadOptions{Limit: 1001})
	assert.Equal(t, "limit", valueError(t, err).Field)
	_, err = c.ListThreads(t.Context(), client.ThreadQuery{Limit: 101})
	assert.Equal(t, "limit", valueError(t, err).Field)
	_, err = c.ListThreads(t.Context(), client.ThreadQuery{Topic: "\xff"})
	assert.Equal(t, "topic", valueError(t, err).Field)
	_, err = c.Fetch(t.Context(), client.FetchOptions{Since: "\xff"})
	assert.Equal(t, "since", valueError(t, err).Field)
	assert.Empty(t, g.Requests(), "nothing is sent")
}

func TestUnknownThreadIsAnErrorWithItsStatus(t *testing.T) {
	t.Parallel()
	_, _, err := connect(t, gateway(t), "node-a").GetThread(t.Context(), threadID, client.ThreadOptions{})
	failed := gatewayError(t, err)
	assert.Equal(t, http.StatusNotFound, failed.StatusCode)
	assert.Contains(t, failed.Error(), "thread not found")
	assert.NotContains(t, failed.Error(), "base path")
}

func TestGetPeer(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Disable("node-c", true)
	c := connect(t, g, "node-a", client.WithAliases(map[string]string{"helper": "node-b"}))
	peer, err := c.GetPeer(t.Context(), "helper")
	require.NoError(t, err)
	assert.Equal(t, "node-b", peer.Name)
	disabled, err := c.GetPeer(t.Context(), "node-c")
	require.NoError(t, err)
	assert.False(t, disabled.Enabled)
	_, err = c.GetPeer(t.Context(), "node-zz")
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, "node-zz", unknown.Name)
}

func TestMissingPeerEndpointIsNotAnUnknownPeer(t *testing.T) {
	t.Parallel()
	_, err := answering(t, 404, "application/json", `{"detail":"Not Found"}`).GetPeer(t.Context(), "node-b")
	assert.Contains(t, gatewayError(t, err).Error(), "base path")
}

func TestUnknownPeerIsUnknownAfterARetry(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Fail(gatewaytest.GetPeer, gatewaytest.Fault{Status: http.StatusServiceUnavailable})
	_, err := connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{BaseDelay: 1})).GetPeer(t.Context(), "node-zz")
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
}

func TestTokenAsTheNameOfAPeerIsNotShown(t *testing.T) {
	t.Parallel()
	pasted := strings.Join([]string{"peer", "token", "7331733173317331"}, "-") + "-0123456789abcdefABCDEF"
	_, err := connect(t, gateway(t), "node-a").GetPeer(t.Context(), pasted)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "7331733173317331")
}

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

// The name in a message is a node name. An alias of the same spelling must not send the reply to another node.
func TestReplyGoesToTheSenderAndNotToAnAlias(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-b", client.WithAliases(map[string]string{"node-a": "node-c"}))
	receipt, err := c.Reply(t.Context(), client.MeshMessage{ID: 1, FromNode: "node-a"}, client.KindAnswer, "yes")
	require.NoError(t, err)
	assert.Equal(t, "node-a", receipt.ToNode)
}

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

func TestAllowRulesLetsAFalsePositivePass(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	req := hello("node-b")
	req.Content = strings.Repeat("0123456789", 4) + " is a digest, not from aws"
	_, err := c.Send(t.Context(), req)
	var leak *client.MeshSecretLeakError
	require.ErrorAs(t, err, &leak)
	assert.Equal(t, 10, leak.Finding.Rule.Number)
	assert.Contains(t, err.Error(), "aws-secret-key")
	assert.Contains(t, err.Error(), "SendRequest.AllowRules: []int{10}")

	req.AllowRules = []int{10}
	_, err = c.Send(t.Context(), req)
	require.NoError(t, err)

	req.Content += " " + "AKIA" + strings.Repeat("A", 16)
	_, err = c.Send(t.Context(), req)
	require.ErrorAs(t, err, &leak)
	assert.Equal(t, 9, leak.Finding.Rule.Number, "other rules still match")

	req.Content = "token " + token
	req.AllowRules = []int{10, 12}
	_, err = c.Send(t.Context(), req)
	require.ErrorAs(t, err, &leak)
	assert.Zero(t, leak.Finding.Rule.Number)
	assert.NotContains(t, err.Error(), "AllowRules")

	req.AllowRules = []int{0}
	_, err = c.Send(t.Context(), req)
	assert.Equal(t, "AllowRules", valueError(t, err).Field)
	assert.Len(t, g.Requests(gatewaytest.SendMessage), 1)
}

func TestErrorsHaveTheIDOfTheRequest(t *testing.T) {
	t.Parallel()
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "req-42 "+token)
		w.WriteHeader(http.StatusInternalServerError)
	})
	_, err := c.ListPeers(t.Context())
	failed := gatewayError(t, err)
	assert.True(t, strings.HasPrefix(failed.RequestID, "req-42 "), failed.RequestID)
	assert.Contains(t, failed.Error(), "(request req-42 ")
	assert.NotContains(t, failed.Error(), token)
}
