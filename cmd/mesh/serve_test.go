package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestServeAnswersWithWhatTheCommandPrints(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t, gatewaytest.WithPeers("node-a"))
	c, err := client.New("node-b", g.Options()...)
	require.NoError(t, err)
	defer c.Close()
	thread, err := c.OpenThread(t.Context(), "builds")
	require.NoError(t, err)
	_, err = c.Send(t.Context(), client.SendRequest{To: "node-a", Kind: client.KindQuestion, Content: "is it green?", ThreadID: thread.ID})
	require.NoError(t, err)

	p := startProcess(t, command(t, g, "serve", "--url", "http://a.example", "--", "handler", "answer"))
	p.stderr.await("handler: 1 node-b question " + thread.ID)
	for m, err := range c.Watch(t.Context(), client.WatchOptions{Interval: 100 * time.Millisecond}) {
		require.NoError(t, err)
		assert.Equal(t, client.KindAnswer, m.Kind)
		assert.Equal(t, thread.ID, m.GetThreadID())
		assert.Contains(t, m.GetContent(), `"CONTENT":"IS IT GREEN?"`, "the message was JSON on stdin")
		break
	}
	peer, err := c.GetPeer(t.Context(), "node-a")
	require.NoError(t, err)
	assert.Equal(t, "http://a.example", peer.GetURL())
}

func TestServeReportsAMessageThatIsGivenUp(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startProcess(t, command(t, g, "serve", "--max-attempts", "1", "--", "handler", "fail"))
	p.stderr.await("mesh: warning: message 1 from node-b: given up after 1 attempts: handler: exit status 1")
}
