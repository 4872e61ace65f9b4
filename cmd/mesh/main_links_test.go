package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command includes servers for development and tests, which must not pull in package
// testing.
func TestCommandLinksNoTests(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}} {{.Dir}}", ".").Output()
	require.NoError(t, err)
	packages := 0
	for line := range strings.Lines(string(out)) {
		name, dir, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		assert.NotEqual(t, "testing", name)
		if strings.HasPrefix(name, "github.com/mesh-gateway/mesh-go/") {
			packages++
			// The test cache tracks directories that the test itself reads, not those
			// that go list reads.
			_, err := os.ReadDir(dir)
			require.NoError(t, err)
		}
	}
	assert.Greater(t, packages, 20)
}
