package openfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

func TestBelow(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("x"), 0o600))
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	require.NoError(t, err)
	defer root.Close()
	require.NoError(t, root.WriteFile("file", []byte("content"), 0o600))
	require.NoError(t, root.Mkdir("folder", 0o700))
	file, err := openfile.Below(root, "file")
	require.NoError(t, err)
	defer file.Close()
	text, err := openfile.Content(file, 7)
	require.NoError(t, err)
	assert.Equal(t, "content", string(text))
	for name, target := range map[string]string{"out": outside, "up": "../" + filepath.Base(filepath.Dir(outside)) + "/secret"} {
		if root.Symlink(target, name) != nil {
			continue // Windows needs a privilege
		}
		_, err = openfile.Below(root, name)
		require.ErrorContains(t, err, "escapes", name)
	}
	if root.Symlink("file", "in") == nil {
		in, err := openfile.Below(root, "in")
		require.NoError(t, err, "a link within the directory")
		require.NoError(t, in.Close())
	}
	_, err = openfile.Below(root, "folder")
	require.ErrorIs(t, err, openfile.ErrNotRegular)
	_, err = openfile.Below(root, "none")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte("12345678"), 0o600))
	for _, read := range []func(string, int64) ([]byte, error){openfile.Read, openfile.ReadTyped} {
		text, err := read(name, 8)
		require.NoError(t, err)
		assert.Equal(t, "12345678", string(text))
		_, err = read(name, 7)
		require.EqualError(t, err, "read "+name+": more than 7 bytes")
		_, err = read(name+"x", 7)
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	require.NoError(t, os.Truncate(name, 8<<40), "8 TiB without a byte on disk")
	_, err := openfile.Read(name, 32<<20)
	require.EqualError(t, err, "read "+name+": more than 32 MiB")
	_, err = openfile.Read(strings.TrimSuffix(name, "file"), 7)
	require.ErrorIs(t, err, openfile.ErrNotRegular)
}
