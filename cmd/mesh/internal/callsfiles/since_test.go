package callsfiles_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
)

func TestSince(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"2026-11-20-a.jsonl", "2026-11-21-a.jsonl", "2026-11-22-a.jsonl.gz", "2026-11-20-x.txt", "other.jsonl", "2026-13-01.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "2026-01"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(folder, "other.jsonl"), filepath.Join(folder, "link.jsonl")))
	require.NoError(t, os.Symlink(folder, filepath.Join(folder, "loop.jsonl")))
	named := filepath.Join(folder, "2026-11-20-a.jsonl")
	in, err := callsfiles.Open(nil, []string{folder, named, "missing"})
	require.NoError(t, err)
	want := []string{}
	for _, name := range []string{"2026-01", "2026-11-21-a.jsonl", "2026-11-22-a.jsonl.gz", "2026-13-01.jsonl", "link.jsonl", "other.jsonl"} {
		want = append(want, filepath.Join(folder, name))
	}
	at := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	assert.Equal(t, append(want, named, "missing"), in.Since(at), "a file that is named is read, whatever its name is")
	assert.Equal(t, in.Paths, in.Since(time.Time{}))
}
