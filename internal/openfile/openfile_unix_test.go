//go:build unix

package openfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// These pipes never get a writer. If opening one waited, the test would never end.
func TestPipes(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	root, err := os.OpenRoot(folder)
	require.NoError(t, err)
	defer root.Close()
	_, err = openfile.Below(root, "pipe")
	require.ErrorIs(t, err, openfile.ErrNotRegular)
	_, err = openfile.Read(pipe, 8)
	require.ErrorIs(t, err, openfile.ErrNotRegular)
	_, err = openfile.ReadTyped(pipe, 8)
	require.ErrorIs(t, err, openfile.ErrEmptyPipe)
	_, err = openfile.Read("/dev/zero", 8)
	require.ErrorIs(t, err, openfile.ErrNotRegular)
	_, err = openfile.ReadTyped("/dev/zero", 8)
	require.ErrorContains(t, err, "more than 8 bytes")

	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer reader.Close()
	_, err = writer.WriteString("content")
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	text, err := openfile.ReadTyped(fmt.Sprintf("/dev/fd/%d", reader.Fd()), 8) // the shell passes <(…) like this
	require.NoError(t, err)
	assert.Equal(t, "content", string(text))
}
