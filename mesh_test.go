package mesh_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mesh "github.com/mesh-gateway/mesh-go"
)

// TestImportersGetFewModules limits the modules that an importer builds, and excludes those that only our tests need.
func TestImportersGetFewModules(t *testing.T) {
	t.Parallel()
	for _, pkg := range []string{"./client", "./client/gatewaytest", "./discovery", "./discovery/discoverytest", "./gen/gateway"} {
		others := slices.DeleteFunc(modules(t, pkg), func(m string) bool { return m == "github.com/mesh-gateway/mesh-go" })
		assert.LessOrEqual(t, len(others), 8, "%s: %v", pkg, others)
		for _, module := range others {
			assert.NotRegexp(t, `testify|kin-openapi|yaml|oapi-codegen/v2|cobra|pflag|modelcontextprotocol|go-internal`, module, pkg)
		}
	}
	for _, pkg := range []string{"./client", "./client/gatewaytest", "./discovery", "./discovery/discoverytest", "./scan"} {
		// go mod tidy ignores the build tag of tools.go: importing the root package would require the code generator.
		assert.NotContains(t, dependencies(t, "{{.ImportPath}}", pkg), "github.com/mesh-gateway/mesh-go", pkg)
	}
	assert.Empty(t, slices.DeleteFunc(modules(t, "./scan"), func(m string) bool { return m == "github.com/mesh-gateway/mesh-go" }),
		"scan needs the standard library only")
}

// modules returns the modules that a package is built from.
func modules(t *testing.T, pkg string) []string {
	t.Helper()
	return dependencies(t, "{{with .Module}}{{.Path}}{{end}}", pkg)
}

func dependencies(t *testing.T, format, pkg string) []string {
	t.Helper()
	for _, folder := range list(t, "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}", pkg) {
		// go test caches a result until a file that the test itself has opened changes. Files that go list reads do not count:
		// without this, a new import would pass as "(cached)".
		_, err := os.ReadDir(folder)
		require.NoError(t, err)
	}
	return list(t, format, pkg)
}

// list returns what go list prints for a package and its dependencies.
func list(t *testing.T, format, pkg string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, pkg).Output()
	require.NoError(t, err)
	lines := strings.Fields(string(out))
	slices.Sort(lines)
	return slices.Compact(lines)
}

func TestVersionIsInTheChangelog(t *testing.T) {
	t.Parallel()
	changelog, err := os.ReadFile("CHANGELOG.md")
	require.NoError(t, err)
	assert.Regexp(t, `^\d+\.\d+\.\d+$`, mesh.Version)
	assert.Contains(t, string(changelog), "\n## ["+mesh.Version+"]")
}
