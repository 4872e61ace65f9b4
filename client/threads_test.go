package client_test

import (
	"fmt"
	"net/http"
	"strconv"
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
	_, err = receiver.Reply(t.Context(), inbox[0], client.SendRequest{Kind: client.KindAnswer, Content: "All green."})
	require.NoError(t, err)

	_, messages, err := sender.GetThread(t.Context(), thread.ID, client.GetThreadOptions{})
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
		query client.ListThreadsOptions
		want  int
	}{
		"all":   {client.ListThreadsOptions{}, 3},
		"peer":  {client.ListThreadsOptions{Peer: "node-a"}, 2},
		"topic": {client.ListThreadsOptions{Topic: "tests"}, 1},
		"both":  {client.ListThreadsOptions{Peer: "node-c", Topic: "builds"}, 1},
		"alias": {client.ListThreadsOptions{Peer: "first"}, 2},
		"limit": {client.ListThreadsOptions{Limit: 2}, 2},
		"100":   {client.ListThreadsOptions{Limit: 100}, 3},
	} {
		threads, err := c.ListThreads(t.Context(), row.query)
		require.NoError(t, err, name)
		assert.Len(t, threads, row.want, name)
	}
	empty, err := connect(t, gateway(t), "node-a").ListThreads(t.Context(), client.ListThreadsOptions{})
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
		_, _, err = c.GetThread(t.Context(), id, client.GetThreadOptions{})
		assert.Equal(t, "id", valueError(t, err).Field, "%q", id)
		_, err = c.GetPeer(t.Context(), id)
		assert.Equal(t, "name", valueError(t, err).Field, "%q", id)
	}
	_, _, err = c.GetThread(t.Context(), "thread-1", client.GetThreadOptions{Limit: 1001})
	assert.Equal(t, "Limit", valueError(t, err).Field)
	_, err = c.ListThreads(t.Context(), client.ListThreadsOptions{Limit: 101})
	assert.Equal(t, "Limit", valueError(t, err).Field)
	_, err = c.ListThreads(t.Context(), client.ListThreadsOptions{Topic: "\xff"})
	assert.Equal(t, "Topic", valueError(t, err).Field)
	_, err = c.Fetch(t.Context(), client.FetchOptions{Since: "\xff"})
	assert.Equal(t, "Since", valueError(t, err).Field)
	assert.Empty(t, g.Requests(), "nothing is sent")
}

func TestUnknownThreadIsAnErrorWithItsStatus(t *testing.T) {
	t.Parallel()
	_, _, err := connect(t, gateway(t), "node-a").GetThread(t.Context(), threadID, client.GetThreadOptions{})
	failed := gatewayError(t, err)
	assert.Equal(t, http.StatusNotFound, failed.StatusCode)
	assert.Contains(t, failed.Error(), "thread not found")
	assert.NotContains(t, failed.Error(), "base path")
}

// fill sends n messages in a new thread and returns its id.
func fill(t *testing.T, c *client.MeshClient, name string, n int) string {
	t.Helper()
	thread, err := c.OpenThread(t.Context(), name)
	require.NoError(t, err)
	for i := range n {
		_, err := c.Send(t.Context(), client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: strconv.Itoa(i), ThreadID: thread.ID})
		require.NoError(t, err)
	}
	return thread.ID
}

// Reading a thread with 500 messages to its end takes 14 requests and 532 kB.
func TestNewestMessagesOfAThreadAreOneRequest(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	id := fill(t, c, "node-a↔node-b:builds", 500)
	g.Store("node-a", "node-b", "fyi", "in no thread")
	before := len(g.Requests())
	thread, messages, err := c.GetThread(t.Context(), id, client.GetThreadOptions{Limit: 10, Newest: true})
	require.NoError(t, err)
	assert.Equal(t, 1, len(g.Requests())-before)
	assert.Equal(t, id, thread.ID)
	require.Len(t, messages, 10)
	assert.Equal(t, []string{"490", "499"}, []string{messages[0].GetContent(), messages[9].GetContent()})
	assert.Equal(t, id, messages[0].GetThreadID())

	empty := fill(t, c, "node-a↔node-b:empty", 0)
	thread, messages, err = c.GetThread(t.Context(), empty, client.GetThreadOptions{Newest: true})
	require.NoError(t, err)
	assert.Empty(t, messages)
	assert.Equal(t, "node-a↔node-b:empty", thread.Name)
	_, _, err = c.GetThread(t.Context(), threadID, client.GetThreadOptions{Newest: true})
	assert.Equal(t, http.StatusNotFound, gatewayError(t, err).StatusCode)
}

// Older gateways ignore the thread and list other messages.
func TestNewestMessagesOfAThreadAreSelectedAgain(t *testing.T) {
	t.Parallel()
	c := answering(t, http.StatusOK, "application/json", `[{"id":2,"from_node":"node-b","to_node":"node-c","kind":"fyi","thread_id":"t-2","created_at":"t"},
		{"id":1,"from_node":"node-b","to_node":"node-c","kind":"fyi","thread_id":"t-1","created_at":"t"}]`)
	_, messages, err := c.GetThread(t.Context(), "t-1", client.GetThreadOptions{Newest: true})
	require.NoError(t, err)
	assert.Equal(t, []int64{1}, ids(messages))
}

func TestFindThreadFindsTheExactName(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a", client.WithAliases(map[string]string{"builds": "node-b"}))
	names := []string{
		"builds", "Builds", " builds ", "builds:", "node-a↔node-b:builds", "node-a↔node-b: builds", "100%:of_it", "100 :of it", ":topic", "a:b:c",
	}
	for _, name := range names {
		_, err := c.OpenThread(t.Context(), name)
		require.NoError(t, err)
	}
	for _, name := range names {
		thread, found, err := c.FindThread(t.Context(), name)
		require.NoError(t, err, name)
		require.True(t, found, name)
		assert.Equal(t, name, thread.Name)
	}
	for _, name := range []string{"build", "BUILDS", "node-a↔node-b:", "%", "a:b"} {
		_, found, err := c.FindThread(t.Context(), name)
		require.NoError(t, err, name)
		assert.False(t, found, name)
	}
	all, err := c.ListThreads(t.Context(), client.ListThreadsOptions{Limit: 100})
	require.NoError(t, err)
	assert.Len(t, all, len(names), "nothing is created")
	for _, name := range []string{"", long("x", 129), "\xff"} {
		_, _, err := c.FindThread(t.Context(), name)
		assert.Equal(t, "name", valueError(t, err).Field)
	}
}

func TestFindThreadReportsTooManySimilarNames(t *testing.T) {
	t.Parallel()
	c := connect(t, gateway(t), "node-a")
	for i := range 101 {
		_, err := c.OpenThread(t.Context(), fmt.Sprintf("node-a:job-%03d", i))
		require.NoError(t, err)
	}
	_, found, err := c.FindThread(t.Context(), "node-a:job-000")
	require.NoError(t, err)
	assert.True(t, found, "the topic selects it")
	_, _, err = c.FindThread(t.Context(), "node-a:job")
	require.ErrorContains(t, err, "may be more with similar names")
	gatewayError(t, err)
}
