package callsfiles_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

func TestOpenCopiesStdin(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none") + "/"
	in, err := callsfiles.Open(strings.NewReader("{}"), []string{"-", missing})
	require.NoError(t, err)
	content, err := os.ReadFile(in.Paths[0])
	require.NoError(t, err)
	assert.Equal(t, "{}", string(content))
	assert.Equal(t, missing, in.Paths[1])

	_, err = calls.Sum(calls.Options{}, in.Paths...)
	renamed := in.Rename(err)
	var line *calls.LineError
	require.ErrorAs(t, renamed, &line)
	assert.Equal(t, "-", line.File)
	require.ErrorContains(t, renamed, missing+": no such file or folder")
	other := errors.New("another error")
	assert.Equal(t, other, in.Rename(other))
	require.NoError(t, in.Rename(nil))

	in.Close()
	_, err = os.Stat(in.Paths[0])
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = callsfiles.Open(nil, []string{""})
	require.ErrorContains(t, err, "must not be empty")
}
