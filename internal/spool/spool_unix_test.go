//go:build unix

package spool_test

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/spool"
)

const server = "node-a http://gateway"

var question = gateway.MeshMessage{ID: 1, FromNode: "node-b", CreatedAt: "now"}

// saved saves an answer in its own directory and returns the file's name.
func saved(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "spool")
	s, err := spool.Open(folder, server)
	require.NoError(t, err)
	require.NoError(t, s.Save(question, "an answer"))
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	return names[0]
}

// Other users could write these files, or have written them. The node would send their
// answers as its own.
func TestOpenRefusesFilesOfOthers(t *testing.T) {
	t.Parallel()
	for change, refused := range map[string]func(name string) error{
		"a directory that others write":   func(name string) error { return os.Chmod(filepath.Dir(name), 0o707) },
		"a directory that a group writes": func(name string) error { return os.Chmod(filepath.Dir(name), 0o770) },
		"a file that others write":        func(name string) error { return os.Chmod(name, 0o606) },
		"a link": func(name string) error {
			to := filepath.Join(filepath.Dir(filepath.Dir(name)), "elsewhere")
			return firstError(os.Rename(name, to), os.Symlink(to, name))
		},
		"a FIFO": func(name string) error { return firstError(os.Remove(name), syscall.Mkfifo(name, 0o600)) },
		"a file instead of the directory": func(name string) error {
			return firstError(os.RemoveAll(filepath.Dir(name)), os.WriteFile(filepath.Dir(name), nil, 0o600))
		},
	} {
		name := saved(t)
		require.NoError(t, refused(name), change)
		_, err := spool.Open(filepath.Dir(name), server)
		require.ErrorContains(t, err, filepath.Dir(name), change)
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestOpenRefusesTheFolderOfAnotherUser(t *testing.T) {
	t.Parallel()
	folder, other := filepath.Dir(saved(t)), 1+os.Geteuid()
	if os.Chown(folder, other, -1) != nil { // only root may
		folder = "/"
	}
	_, err := spool.Open(folder, server)
	require.ErrorContains(t, err, folder+" must belong to this user")
}

// The file may change after Open.
func TestLoadRefusesAFIFO(t *testing.T) {
	t.Parallel()
	name := saved(t)
	s, err := spool.Open(filepath.Dir(name), server)
	require.NoError(t, err)
	require.NoError(t, os.Remove(name))
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	_, err = s.Load()
	require.ErrorContains(t, err, "must be a regular file")
}

func TestOpenRemovesWhatAKillHasLeft(t *testing.T) {
	t.Parallel()
	name := saved(t)
	left, kept := filepath.Join(filepath.Dir(name), ".new-123"), filepath.Join(filepath.Dir(name), "other")
	require.NoError(t, os.WriteFile(left, []byte("{"), 0o600))
	require.NoError(t, os.WriteFile(kept, []byte("{"), 0o600))
	s, err := spool.Open(filepath.Dir(name), server)
	require.NoError(t, err)
	assert.NoFileExists(t, left)
	assert.FileExists(t, kept, "not a server's file")
	answers, err := s.Load()
	require.NoError(t, err)
	assert.Len(t, answers, 1)
}

// A starting server removes files that another one is still writing.
func TestSaveWhileServersStart(t *testing.T) {
	t.Parallel()
	folder := filepath.Dir(saved(t))
	s, err := spool.Open(folder, server)
	require.NoError(t, err)
	for range 50 {
		var starts sync.WaitGroup
		for range 2 { // each may interrupt one attempt
			starts.Go(func() {
				_, err := spool.Open(folder, "another")
				assert.NoError(t, err)
			})
		}
		require.NoError(t, s.Save(question, "an answer"))
		starts.Wait()
	}
}
