package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/atomicfile"
)

func TestReplacement(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new")
	name := filepath.Join(folder, "file")
	require.NoError(t, atomicfile.Write(name, []byte("old")))
	file, err := atomicfile.New(name)
	require.NoError(t, err)
	file.Discard()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "old", string(content))
	require.NoError(t, atomicfile.Write(name, []byte("new")))
	content, err = os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "new", string(content))
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, files, 1, "no temporary file is left")

	_, err = atomicfile.New(folder)
	require.ErrorContains(t, err, "is not a regular file")
	_, err = atomicfile.New(filepath.Join(name, "below"))
	require.Error(t, err)
}
