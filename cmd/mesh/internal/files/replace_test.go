package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
)

func TestReplacement(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new")
	name := filepath.Join(folder, "file")
	require.NoError(t, files.WriteAll(name, []byte("old")))
	file, err := files.Replace(name)
	require.NoError(t, err)
	file.Discard()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "old", string(content))
	require.NoError(t, files.WriteAll(name, []byte("new")))
	content, err = os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "new", string(content))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no temporary file is left")

	_, err = files.Replace(folder)
	require.ErrorContains(t, err, "is not a regular file")
	_, err = files.Replace(filepath.Join(name, "below"))
	require.Error(t, err)
}
