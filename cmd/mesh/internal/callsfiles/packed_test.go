// This file covers the compressed copies that are not read.

package callsfiles_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
)

func TestPacked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.jsonl", "a.jsonl.gz", "b.jsonl.gz", "c.txt", "c.txt.gz"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	in, err := callsfiles.Open(nil, []string{dir, filepath.Join(dir, "missing")})
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "a.jsonl.gz")}, in.Packed())
}
