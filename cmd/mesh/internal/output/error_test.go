package output_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

func TestErrorsNameNoPackage(t *testing.T) {
	t.Parallel()
	_, err := client.New("", client.WithGatewayURL("http://127.0.0.1"))
	require.ErrorContains(t, err, "mesh: node")
	assert.Equal(t, "node must not be empty", output.Error(err))
	assert.Equal(t, "line 3: node must not be empty", output.Error(fmt.Errorf("line 3: %w", err)))
}
