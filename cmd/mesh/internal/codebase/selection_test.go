package codebase

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// names returns the names of the files that the flags select from paths below root, joined by blanks.
func names(t *testing.T, f Flags, root string, paths ...string) string {
	t.Helper()
	s, err := f.selection(nil)
	require.NoError(t, err)
	var list []string
	for i := range paths {
		paths[i] = filepath.Join(root, paths[i])
	}
	for _, file := range s.files(paths) {
		name, err := filepath.Rel(root, file.path)
		require.NoError(t, err)
		if file.err != nil {
			require.ErrorIs(t, file.err, fs.ErrNotExist)
			name += "!"
		}
		list = append(list, filepath.ToSlash(name))
	}
	return strings.Join(list, " ")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	root := tree(t, "a/b.go", "a/.github/c.yml", "a/.git/d", "a/node_modules/e.js", "a/x/vendor/f.go", "g", "vendor/h", "y/.git")
	assert.Equal(t, "a/.github/c.yml a/b.go g no! vendor/h", names(t, Flags{}, root, "a", "g", "no", "vendor", "y"))
	assert.Equal(t, "a/.github/c.yml a/b.go a/node_modules/e.js a/x/vendor/f.go", names(t, Flags{allFiles: true}, root, "a"))
	folder := filepath.Join(root, "a", "x")
	require.NoError(t, os.Chmod(folder, 0))
	defer os.Chmod(folder, 0o700)
	s, err := new(Flags).selection(nil)
	require.NoError(t, err)
	for _, file := range s.files([]string{filepath.Join(root, "a")}) {
		if file.err != nil { // not for root
			require.ErrorContains(t, file.err, folder, "%s", file.path)
		}
	}
}

func TestGitIgnoreFiles(t *testing.T) {
	t.Parallel()
	root := tree(t, ".git/config", ".gitignore *.log\n/top\nsub/only\n", "x.log", "top", "y/top", "only", "y/only",
		"sub/.gitignore !keep.log\n", "sub/keep.log", "sub/x.log", "sub/only", "sub/deep/keep.log", "sub/deep/only", "sub/deep/x")
	assert.Equal(t, ".gitignore only sub/.gitignore sub/deep/keep.log sub/deep/only sub/deep/x sub/keep.log y/only y/top", names(t, Flags{}, root, "."))
	assert.Equal(t, "sub/deep/keep.log sub/deep/only sub/deep/x", names(t, Flags{}, root, "sub/deep"), "the files above hold, too")
	assert.Equal(t, "x.log", names(t, Flags{}, root, "x.log"), "given by name")
	all := names(t, Flags{allFiles: true}, root, ".")
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
		assert.Equal(t, want, names(t, Flags{exclude: []string{pattern}}, root, ".", "a/c.go"), pattern)
	}
	for _, pattern := range []string{"", "#", "!x", "[a", `a\`, "/", "a//b"} {
		_, err := (&Flags{exclude: []string{pattern}}).selection(nil)
		require.ErrorContains(t, err, "must be a pattern as in a .gitignore", pattern)
	}
}

func TestLeftOut(t *testing.T) {
	t.Parallel()
	root := tree(t, ".git/config", "testdata/x/go.lock", "testdata/x/a.go", "testdata/x/testdata/b/c", "testdata/x/testdata/d")
	leftOut := []string{"*.lock", "**/testdata/**"}
	s, err := new(Flags).selection(leftOut)
	require.NoError(t, err)
	list := s.files([]string{filepath.Join(root, "testdata", "x")})
	require.Len(t, list, 1, "a folder that is given is not below itself")
	assert.Equal(t, map[string]int{"**/testdata/**": 2, "*.lock": 1}, s.counts)
	s, err = (&Flags{allFiles: true}).selection(leftOut)
	require.NoError(t, err)
	assert.Len(t, s.files([]string{root}), 4)
}

func TestRead(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "file")
	for content, isText := range map[string]bool{
		"": true, "x": true, strings.Repeat("x", 9000): true, strings.Repeat("x", 8000) + "\x00": true, strings.Repeat("x", 7999) + "\x00y": false, "\x00": false,
		"\x00" + strings.Repeat("x", 9000): false,
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
		named := file{path: name, named: true}
		assert.Equal(t, content, named.read(true))
		assert.True(t, named.isText)
		for _, f := range []file{{path: name, named: true}, {path: name}} {
			text := f.read(!f.named)
			require.NoError(t, f.err)
			assert.Equal(t, isText, f.isText)
			assert.True(t, !isText || text == content)
		}
	}
	missing := file{path: name + "x"}
	missing.read(true)
	require.ErrorIs(t, missing.err, os.ErrNotExist)
	assert.False(t, missing.isText)
}
