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
	as := func(node string) (*app.App, *client.MeshClient, *bytes.Buffer) {
		c, err := client.New(node, g.Options()...)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		var out bytes.Buffer
		return &app.App{In: strings.NewReader("text of stdin\n"), Out: &out, Errs: &out, Format: "text", Token: func() (string, error) { return "", nil }}, c, &out
	}
	a, c, out := as("node-a")
	o := &sendOptions{App: a, client: c, SendRequest: client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: "-"}, thread: "builds"}
	require.NoError(t, runSend(t.Context(), o))
	assert.Regexp(t, `^sent message 1 to node-b, thread \S+\n$`, out.String())
	o.Content, o.To = "x", "node-c"
	assert.Equal(t, exit.Refused, exit.Code(runSend(t.Context(), o)))
	o.To, o.RelatedTaskID = "node-b", "seven"
	require.ErrorContains(t, runSend(t.Context(), o), "--task must be a whole number")

	b, d, answers := as("node-b")
	require.NoError(t, runInbox(t.Context(), &inboxOptions{filters: filters{App: b, client: d, kind: "question"}}))
	assert.Contains(t, answers.String(), "text of stdin")
	require.ErrorContains(t, runInbox(t.Context(), &inboxOptions{filters: filters{App: b, client: d, kind: "letter"}}), "--kind: ")
	require.NoError(t, runReply(t.Context(), &replyOptions{App: b, client: d, args: []string{"1", "answer", "yes"}, read: true}))
	out.Reset()
	require.NoError(t, runRead(t.Context(), &readOptions{a, c, []string{"2"}}))
	assert.Contains(t, out.String(), "answer 2 from node-b")
	require.ErrorContains(t, runRead(t.Context(), &readOptions{a, c, []string{"0"}}), "must be a positive number")
	out.Reset()
	require.NoError(t, runPending(t.Context(), &filters{App: a, client: c}))
	assert.NotContains(t, out.String(), "node-b")
	require.NoError(t, runThreads(t.Context(), &threadsOptions{App: a, client: c, names: []string{"builds"}}))
	assert.Contains(t, out.String(), "question 1 from node-a to node-b")
}
