package messages

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// TestCommandsWithoutAProcess sends, lists, reads and answers a message through the functions of the commands.
func TestCommandsWithoutAProcess(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"))
	as := func(node string) (*app.App, *bytes.Buffer) {
		c, err := client.New(node, g.Options()...)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		var out bytes.Buffer
		return &app.App{
			In: strings.NewReader("text of stdin\n"), Out: &out, Errs: &out, Format: "text", Token: func() (string, error) { return "", nil }, Client: c,
		}, &out
	}
	a, out := as("node-a")
	o := &sendOptions{App: a, SendRequest: client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: "-"}, thread: "builds"}
	require.NoError(t, runSend(t.Context(), o))
	assert.Regexp(t, `^sent message 1 to node-b, thread \S+\n$`, out.String())
	o.Content, o.To = "x", "node-c"
	assert.Equal(t, exit.Refused, exit.Code(runSend(t.Context(), o)))
	o.To, o.RelatedTaskID = "node-b", "seven"
	require.ErrorContains(t, runSend(t.Context(), o), "--task must be a whole number")

	b, answers := as("node-b")
	require.NoError(t, runInbox(t.Context(), &inboxOptions{filters: filters{App: b, FetchOptions: client.FetchOptions{Kind: "question"}}}))
	assert.Contains(t, answers.String(), "text of stdin")
	require.ErrorContains(t, runInbox(t.Context(), &inboxOptions{filters: filters{App: b, FetchOptions: client.FetchOptions{Kind: "letter"}}}), "--kind ")
	b.Args = []string{"1", "answer", "yes"}
	require.NoError(t, runReply(t.Context(), &replyOptions{App: b, read: true}))
	out.Reset()
	a.Args = []string{"2"}
	require.NoError(t, runRead(t.Context(), a))
	assert.Contains(t, out.String(), "answer 2 from node-b")
	a.Args = []string{"0"}
	require.ErrorContains(t, runRead(t.Context(), a), "must be a positive number")
	out.Reset()
	require.NoError(t, runPending(t.Context(), &filters{App: a}))
	assert.NotContains(t, out.String(), "node-b")
	a.Args = []string{"builds"}
	require.NoError(t, runThreads(t.Context(), &threadsOptions{App: a}))
	assert.Contains(t, out.String(), "question 1 from node-a to node-b")
}
