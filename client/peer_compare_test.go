package client_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

// failures collects what a failed assertion prints.
type failures struct{ text string }

func (f *failures) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

func TestTestifyComparesPeersWithoutShowingTheirTokens(t *testing.T) {
	t.Parallel()
	register := func(text string) *client.MeshPeer {
		peer, err := answering(t, 200, "application/json", fmt.Sprintf(`{"name":"node-a","peer_token":%q}`, text)).Register(t.Context(), client.RegisterRequest{})
		require.NoError(t, err)
		return peer
	}
	minted, other := "EXAMPLE-"+long("z9", 10), "EXAMPLE-"+long("y8", 10)
	peer, equal, different := register(minted), register(minted), register(other)
	assert.Equal(t, peer, equal)
	var f failures
	assert.Equal(&f, peer, different)
	require.NotEmpty(t, f.text, "another token is another peer")
	assert.NotContains(t, f.text, minted)
	assert.NotContains(t, f.text, other)
}
