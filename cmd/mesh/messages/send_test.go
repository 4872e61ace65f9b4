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

// Calls the commands' functions to send, list, read and answer a message.
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
	a.Args = []string{"node-b", "question", "-"}
	o := &sendOptions{App: a, thread: "builds"}
	require.NoError(t, o.run(t.Context()))
	assert.Regexp(t, `^sent message 1 to node-b, thread \S+\n$`, out.String())
	a.Args = []string{"node-c", "question", "x"}
	assert.Equal(t, exit.Refused, exit.Code(o.run(t.Context())))
	a.Args[0], o.RelatedTaskID = "node-b", "seven"
	require.ErrorContains(t, o.run(t.Context()), "--task must be a whole number")

	b, answers := as("node-b")
	require.NoError(t, (&inboxOptions{filters: filters{App: b, FetchOptions: client.FetchOptions{Kind: "question"}}}).run(t.Context()))
	assert.Contains(t, answers.String(), "text of stdin")
	require.ErrorContains(t, (&inboxOptions{filters: filters{App: b, FetchOptions: client.FetchOptions{Kind: "letter"}}}).run(t.Context()), "--kind ")
	b.Args = []string{"1", "answer", "yes"}
	require.NoError(t, (&replyOptions{App: b, read: true}).run(t.Context()))
	out.Reset()
	a.Args = []string{"2"}
	require.NoError(t, runRead(t.Context(), a))
	assert.Contains(t, out.String(), "answer 2 from node-b")
	a.Args = []string{"0"}
	require.ErrorContains(t, runRead(t.Context(), a), "must be a positive number")
	out.Reset()
	require.NoError(t, (&filters{App: a}).pending(t.Context()))
	assert.NotContains(t, out.String(), "node-b")
	a.Args = []string{"builds"}
	require.NoError(t, (&threadsOptions{App: a}).run(t.Context()))
	assert.Contains(t, out.String(), "question 1 from node-a to node-b")
}
