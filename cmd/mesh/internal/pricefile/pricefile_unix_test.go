//go:build unix

package pricefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pricefile"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Own prices may be in the file, so that only its owner may read it.
func TestStoredPricesAreOfTheirOwner(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	require.NoError(t, pricefile.Store(prices.BuiltIn()))
	require.NoError(t, pricefile.Store(prices.BuiltIn()))
	info, err := os.Stat(filepath.Join(os.Getenv("XDG_DATA_HOME"), "mesh", "prices"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	files, err := os.ReadDir(filepath.Join(os.Getenv("XDG_DATA_HOME"), "mesh"))
	require.NoError(t, err)
	assert.Len(t, files, 1)
}
