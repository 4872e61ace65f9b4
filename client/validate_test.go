package client_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

func TestValidNodeName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ab", "a1", "node-a", "a-" + long("b", 61) + "c"} {
		require.NoError(t, client.ValidNodeName(name), name)
	}
	for _, name := range []string{"", "a", "1a", "-a", "a-", "Node-a", "node_a", "node a", "nöde", "node-a\n", "a" + long("b", 64)} {
		invalid := valueError(t, client.ValidNodeName(name))
		assert.Equal(t, "name", invalid.Field, name)
		assert.Contains(t, invalid.Reason, "2 to 64 lower-case letters")
	}
	assert.EqualError(t, client.ValidNodeName("Node-a"),
		`mesh: name "Node-a" must be 2 to 64 lower-case letters, digits and hyphens, start with a letter and not end with a hyphen`)
	key := "xai-" + long("Z9", 40)
	assert.NotContains(t, client.ValidNodeName(key).Error(), key, "a key in the wrong place is not shown")
}
