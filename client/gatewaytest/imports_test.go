package gatewaytest_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dependencies lists every package that comes with one.
func dependencies(t *testing.T, pkg string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pkg).CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// Users of this package build what it imports, so the tools of our own tests must not be among it.
func TestNoTestToolsComeWithThisPackage(t *testing.T) {
	t.Parallel()
	ours := dependencies(t, ".")
	for _, unwanted := range []string{"stretchr/testify", "getkin/kin-openapi", "yaml", "mesh-go/specs", "mesh-go/internal/test/contract"} {
		assert.NotContains(t, ours, unwanted)
	}
	assert.Contains(t, ours, "mesh-go/client\n")
	assert.Contains(t, dependencies(t, "../../internal/test/contract"), "getkin/kin-openapi", "the look can find it")
}
