//go:build unix

package factsfile_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/factsfile"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
)

func TestStoredFactsAreOfTheirOwner(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	require.NoError(t, factsfile.Store(facts.BuiltIn()))
	require.NoError(t, factsfile.Store(facts.BuiltIn()))
	info, err := os.Stat(filepath.Join(os.Getenv("XDG_DATA_HOME"), "mesh", "facts"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	files, err := os.ReadDir(filepath.Join(os.Getenv("XDG_DATA_HOME"), "mesh"))
	require.NoError(t, err)
	assert.Len(t, files, 1)
}

// A checked-out repository may have anything in a table's place.
func TestDirectoriesOfOthers(t *testing.T) {
	t.Parallel()
	tables, err := filepath.Abs("../../../../discovery/facts")
	require.NoError(t, err)
	for name, replace := range map[string]func(file string) error{
		"a pipe nothing writes to":  func(file string) error { return syscall.Mkfifo(file, 0o600) },
		"a link to the outside":     func(file string) error { return os.Symlink(filepath.Join(tables, "fees.csv"), file) },
		"a link to an endless file": func(file string) error { return os.Symlink("/dev/zero", file) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(tables)))
			_, err := factsfile.Open(dir)
			require.NoError(t, err)
			require.NoError(t, os.Remove(filepath.Join(dir, "fees.csv")))
			require.NoError(t, replace(filepath.Join(dir, "fees.csv")))
			_, err = factsfile.Open(dir)
			require.ErrorContains(t, err, "fees.csv")
		})
	}
}
