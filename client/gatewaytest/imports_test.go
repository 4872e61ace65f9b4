package gatewaytest_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dependencies returns the list of packages that pkg imports, directly or not.
func dependencies(t *testing.T, pkg string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pkg).CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// Users build everything that this package imports, so it must not import the tools of our own tests.
func TestPackageDoesNotImportTestTools(t *testing.T) {
	t.Parallel()
	ours := dependencies(t, ".")
	for _, unwanted := range []string{"stretchr/testify", "getkin/kin-openapi", "yaml", "mesh-go/specs", "mesh-go/internal/test/contract"} {
		assert.NotContains(t, ours, unwanted)
	}
	assert.Contains(t, ours, "mesh-go/client\n")
	assert.Contains(t, dependencies(t, "../../internal/test/contract"), "getkin/kin-openapi", "the list is complete")
}
