package codebase_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
)

// tree makes files in a new folder and returns it. The content of a .gitignore is behind a blank.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, file := range files {
		name, text, _ := strings.Cut(file, " ")
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return root
}

// names returns the names of the files that o selects from paths below root, joined by blanks.
func names(t *testing.T, o codebase.Options, root string, paths ...string) string {
	t.Helper()
	s, err := codebase.New(o)
	require.NoError(t, err)
	var list []string
	for i := range paths {
		paths[i] = filepath.Join(root, paths[i])
	}
	for _, file := range s.Files(paths) {
		name, err := filepath.Rel(root, file.Path)
		require.NoError(t, err)
		if file.Err != nil {
			require.ErrorIs(t, file.Err, fs.ErrNotExist)
			name += "!"
		}
		list = append(list, filepath.ToSlash(name))
	}
	return strings.Join(list, " ")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	root := tree(t, "a/b.go", "a/.github/c.yml", "a/.git/d", "a/node_modules/e.js", "a/x/vendor/f.go", "g", "vendor/h", "y/.git")
	assert.Equal(t, "a/.github/c.yml a/b.go g no! vendor/h", names(t, codebase.Options{}, root, "a", "g", "no", "vendor", "y"))
	assert.Equal(t, "a/.github/c.yml a/b.go a/node_modules/e.js a/x/vendor/f.go", names(t, codebase.Options{All: true}, root, "a"))
	assert.Equal(t, "a/.github/c.yml g", names(t, codebase.Options{Not: []string{filepath.Join(root, "a/b.go"), "no"}}, root, "a", "g"))
	folder := filepath.Join(root, "a", "x")
	require.NoError(t, os.Chmod(folder, 0))
	defer os.Chmod(folder, 0o700)
	s, err := codebase.New(codebase.Options{})
	require.NoError(t, err)
	for _, file := range s.Files([]string{filepath.Join(root, "a")}) {
		if file.Err != nil { // not for root
			require.ErrorContains(t, file.Err, folder, "%s", file.Path)
		}
	}
}

func TestGitIgnoreFiles(t *testing.T) {
	t.Parallel()
	root := tree(t, ".git/config", ".gitignore *.log\n/top\nsub/only\n", "x.log", "top", "y/top", "only", "y/only",
		"sub/.gitignore !keep.log\n", "sub/keep.log", "sub/x.log", "sub/only", "sub/deep/keep.log", "sub/deep/only", "sub/deep/x")
	assert.Equal(t, ".gitignore only sub/.gitignore sub/deep/keep.log sub/deep/only sub/deep/x sub/keep.log y/only y/top", names(t, codebase.Options{}, root, "."))
	assert.Equal(t, "sub/deep/keep.log sub/deep/only sub/deep/x", names(t, codebase.Options{}, root, "sub/deep"), "the files above hold, too")
	assert.Equal(t, "x.log", names(t, codebase.Options{}, root, "x.log"), "given by name")
	all := names(t, codebase.Options{All: true}, root, ".")
	assert.Contains(t, all, "x.log")
	assert.NotContains(t, all, "config")
}

func TestExclude(t *testing.T) {
	t.Parallel()
	root := tree(t, "a/b.md", "a/c.go", "a/tests/d.go", "tests/e.go")
	for pattern, want := range map[string]string{
		"*.md":       "a/c.go a/tests/d.go tests/e.go a/c.go",
		"/tests":     "a/b.md a/c.go a/tests/d.go a/c.go",
		"tests/":     "a/b.md a/c.go a/c.go",
		"tests/**":   "a/b.md a/c.go a/tests/d.go a/c.go",
		"**/c.go":    "a/b.md a/tests/d.go tests/e.go",
		`\!x`:        "a/b.md a/c.go a/tests/d.go tests/e.go a/c.go",
		"a/tests/**": "a/b.md a/c.go tests/e.go a/c.go",
	} {
		assert.Equal(t, want, names(t, codebase.Options{Exclude: []string{pattern}}, root, ".", "a/c.go"), pattern)
	}
	for _, pattern := range []string{"", "#", "!x", "[a", `a\`, "/", "a//b"} {
		_, err := codebase.New(codebase.Options{Exclude: []string{pattern}})
		require.ErrorContains(t, err, "must be a pattern as in a .gitignore", pattern)
	}
}

func TestLeftOut(t *testing.T) {
	t.Parallel()
	root := tree(t, ".git/config", "testdata/x/go.lock", "testdata/x/a.go", "testdata/x/testdata/b/c", "testdata/x/testdata/d")
	o := codebase.Options{LeftOut: []string{"*.lock", "**/testdata/**"}}
	s, err := codebase.New(o)
	require.NoError(t, err)
	list := s.Files([]string{filepath.Join(root, "testdata", "x")})
	require.Len(t, list, 1, "a folder that is given is not below itself")
	assert.Equal(t, []codebase.Count{{Pattern: "**/testdata/**", Files: 2}, {Pattern: "*.lock", Files: 1}}, s.LeftOut())
	o.All = true
	assert.Equal(t, "testdata/x/a.go testdata/x/go.lock testdata/x/testdata/b/c testdata/x/testdata/d", names(t, o, root, "."))
}
