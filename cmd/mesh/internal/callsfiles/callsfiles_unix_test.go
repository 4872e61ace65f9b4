//go:build unix

package callsfiles_test

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
)

// Not parallel: for a moment, the process can't open any file. Unlike permissions, that
// also stops root.
func TestOpenNamesAPipeThatCannotBeOpened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "calls.pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	_, err := callsfiles.Open(nil, []string{pipe}, false)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	var failed *fs.PathError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, pipe, failed.Path)
	assert.ErrorIs(t, err, syscall.EMFILE)
}
