package discoverytest_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Users of this package build what it imports, so the tools of our own tests must not be among it.
func TestPackageDoesNotImportTestTools(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").CombinedOutput()
	require.NoError(t, err, string(out))
	for _, unwanted := range []string{
		"stretchr/testify", "getkin/kin-openapi", "yaml", "mesh-go/specs", "mesh-go/internal/test/contract", "mesh-go/client", "mesh-go/scan",
	} {
		assert.NotContains(t, string(out), unwanted)
	}
	assert.Contains(t, string(out), "mesh-go/discovery\n", "the look can find what is there")
}
