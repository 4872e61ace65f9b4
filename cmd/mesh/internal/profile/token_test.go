package profile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
)

func TestTokenOfAFile(t *testing.T) {
	t.Parallel()
	file := profile.Setting{Value: filepath.Join(t.TempDir(), "token"), Source: "--token-file"}
	_, err := file.Token()
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.False(t, file.ReadableByOthers())
	for text, want := range map[string]string{" \n": "--token-file: " + file.Value + " is empty", strings.Repeat("a", 64<<10+1): "more than 65536 bytes"} {
		require.NoError(t, os.WriteFile(file.Value, []byte(text), 0o600))
		_, err = file.Token()
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, os.WriteFile(file.Value, []byte(" a-token\n"), 0o600))
	token, err := file.Token()
	require.NoError(t, err)
	assert.Equal(t, "a-token", token)
	assert.False(t, file.ReadableByOthers())
	require.NoError(t, os.Chmod(file.Value, 0o644))
	assert.Equal(t, runtime.GOOS != "windows", file.ReadableByOthers())
}
