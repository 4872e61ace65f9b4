package lookup_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
)

func TestMessagesAreFoundBehindHugeOnes(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"))
	// The race detector takes long for 34 MB: the default of 10 seconds is not enough on a busy machine.
	c, err := client.New("node-a", append(g.Options(), client.WithTimeout(5*time.Minute))...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	first := g.Store("node-b", "node-a", "question", "first")
	for range 28 { // 34 MB of JSON, more than a response may have
		g.Store("node-c", "node-a", "fyi", strings.Repeat("\x01", 200_000))
	}
	last := g.Store("node-b", "node-a", "question", "last")
	found, err := lookup.Messages(t.Context(), c, last, first)
	require.NoError(t, err)
	require.Len(t, found, 2)
	assert.Equal(t, []string{"last", "first"}, []string{found[0].GetContent(), found[1].GetContent()})
	_, err = lookup.Messages(t.Context(), c, first, 99)
	require.EqualError(t, err, "mesh: message 99 is not in the inbox of this node")
}
