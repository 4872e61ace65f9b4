//go:build unix

package factsfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/factsfile"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
)

func TestStoredFactsAreOfTheirOwner(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	require.NoError(t, factsfile.Store(facts.BuiltIn()))
	require.NoError(t, factsfile.Store(facts.BuiltIn()))
	info, err := os.Stat(filepath.Join(os.Getenv("XDG_DATA_HOME"), "mesh", "facts"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	files, err := os.ReadDir(filepath.Join(os.Getenv("XDG_DATA_HOME"), "mesh"))
	require.NoError(t, err)
	assert.Len(t, files, 1)
}
