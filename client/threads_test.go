package client_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
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
	assert.Equal(t, "name", valueError(t, err).Field)
}

func TestThreadsRejectInvalidArguments(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	_, err := c.OpenThread(t.Context(), "")
	assert.Equal(t, "name", valueError(t, err).Field)
	_, err = c.OpenThread(t.Context(), long("é", 129))
	assert.Equal(t, "name", valueError(t, err).Field)
	for _, id := range []string{"", ".", "..", "a\nb", "\xff"} {
		_, _, err = c.GetThread(t.Context(), id, client.ThreadOptions{})
		assert.Equal(t, "id", valueError(t, err).Field, "%q", id)
		_, err = c.GetPeer(t.Context(), id)
		assert.Equal(t, "name", valueError(t, err).Field, "%q", id)
	}
	_, _, err = c.GetThread(t.Context(), "thread-1", client.ThreadOptions{Limit: 1001})
	assert.Equal(t, "Limit", valueError(t, err).Field)
	_, err = c.ListThreads(t.Context(), client.ThreadQuery{Limit: 101})
	assert.Equal(t, "Limit", valueError(t, err).Field)
	_, err = c.ListThreads(t.Context(), client.ThreadQuery{Topic: "\xff"})
	assert.Equal(t, "Topic", valueError(t, err).Field)
	_, err = c.Fetch(t.Context(), client.FetchOptions{Since: "\xff"})
	assert.Equal(t, "Since", valueError(t, err).Field)
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
