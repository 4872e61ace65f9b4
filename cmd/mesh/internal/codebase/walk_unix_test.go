//go:build unix

package codebase

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
)

// Endless .gitignore files are in the directory, below it and above it.
func TestIgnoreFilesOfOthers(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(path string) error{
		"endless link": func(path string) error { return os.Symlink("/dev/zero", path) },
		"pipe":         func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link to pipe": func(path string) error {
			if err := syscall.Mkfifo(path+"-pipe", 0o600); err != nil {
				return err
			}
			return os.Symlink(path+"-pipe", path)
		},
		"sparse": func(path string) error {
			if err := os.WriteFile(path, []byte("*\n"), 0o600); err != nil {
				return err
			}
			return os.Truncate(path, 1<<40)
		},
		"link within":  func(path string) error { return os.Symlink("patterns", path) }, // ignored, as in git
		"link outside": func(path string) error { return os.Symlink("../patterns", path) },
		"folder":       func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		root := tree(t, ".git/config", "a", "patterns a\nc\n", "sub/deep/c", "sub/patterns a\nc\n")
		for _, folder := range []string{"", "sub", "sub/deep"} {
			require.NoError(t, create(filepath.Join(root, folder, ".gitignore")), name)
		}
		assert.Contains(t, names(t, Flags{}, root, "."), "sub/deep/c", name)
		assert.Contains(t, names(t, Flags{}, root, "sub/deep"), "sub/deep/c", name)
	}
}

// Baselines may be endless.
func TestBaselinesOfOthers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	pipe, endless, sparse := filepath.Join(root, "pipe"), filepath.Join(root, "endless"), filepath.Join(root, "sparse")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.Symlink("/dev/zero", endless))
	require.NoError(t, os.WriteFile(sparse, nil, 0o600))
	require.NoError(t, os.Truncate(sparse, 1<<40))
	for name, want := range map[string]string{pipe: "the pipe has no writer", endless: "more than 64 MiB", sparse: "more than 64 MiB"} {
		_, err := NewSearch[int](&app.App{}, &Flags{baseline: name}, "scan")
		require.ErrorContains(t, err, name+": "+want)
	}
}

func TestLeftOutOnce(t *testing.T) {
	t.Parallel()
	root := tree(t, ".gitignore *.log\nout/\n", "a.log", "out/b", "vendor/c", "node_modules/d", "e \x00", "f", "g.md", ".git/h", ".hg/i", "j/.svn/k")
	require.NoError(t, os.Symlink("f", filepath.Join(root, "link")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	var out bytes.Buffer
	for flags, want := range map[*Flags]string{
		{exclude: []string{"*.md"}}:                 "10 files and directories left out (--all-files): .gitignore 2, dependencies 2, history 2, --exclude 1, binary 1, links 1, pipes and devices 1",
		{exclude: []string{"*.md"}, allFiles: true}: "6 files and directories left out: history 2, --exclude 1, binary 1, links 1, pipes and devices 1",
	} {
		s, err := NewSearch[int](&app.App{Out: &out, Errs: &out, Format: "text"}, flags, "scan")
		require.NoError(t, err)
		s.Files([]string{root}, true, func(string, string) []Match[int] { return nil })
		assert.Equal(t, []string{want}, s.LeftOut())
		assert.NoError(t, s.UnreadError())
	}
}

// In a directory that may be listed but not entered, files have no size.
type withoutSize struct{ fs.DirEntry }

func (withoutSize) IsDir() bool                { return false }
func (withoutSize) Info() (fs.FileInfo, error) { return nil, fs.ErrPermission }

func TestAFileWithoutSizeIsNamed(t *testing.T) {
	t.Parallel()
	w := walk{selection: &selection{}}
	w.entry("a", withoutSize{}, &folder{}, place{})
	assert.Equal(t, []file{{path: "a", err: fs.ErrPermission}}, w.selected)
}
