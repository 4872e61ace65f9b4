package meter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProjectIsTheWorkTreeOrTheFolder(t *testing.T) {
	t.Parallel()
	root, key := t.TempDir(), "sk-"+strings.Repeat("a", 48)
	for _, folder := range []string{"shop/.git", "shop/cmd/server", "linked/docs", "plain/notes", key} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, folder), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "linked", ".git"), []byte("gitdir: ../shop/.git/worktrees/linked\n"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(root, "shop", "cmd"), filepath.Join(root, "link")))
	for folder, want := range map[string]string{
		"shop": "shop", "shop/cmd/server": "shop", "linked/docs": "linked", "plain/notes": "notes", "link/server": "shop", "link": "shop", key: "",
	} {
		assert.Equal(t, want, project(filepath.Join(root, folder)), folder)
	}
	assert.Empty(t, project("/"))
}
