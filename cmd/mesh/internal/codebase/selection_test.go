package codebase

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree makes files in a new directory and returns it. A file's content follows its name
// and a space.
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

// names returns the files that the flags select from paths below root, joined by spaces.
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
	assert.Equal(t, "sub/deep/keep.log sub/deep/only sub/deep/x", names(t, Flags{}, root, "sub/deep"), ".gitignore files above apply, too")
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
	require.Len(t, list, 1, "a directory isn't below itself")
	assert.Equal(t, map[string]int{"**/testdata/**": 2, "*.lock": 1}, s.counts)
	s, err = (&Flags{allFiles: true}).selection(leftOut)
	require.NoError(t, err)
	assert.Len(t, s.files([]string{root}), 4)
}

// read returns the selected files' texts by name below root, and the errors.
func read(t *testing.T, root string, binary bool, paths ...string) (texts map[string]string, errs []error) {
	t.Helper()
	s, err := new(Flags).selection(nil)
	require.NoError(t, err)
	defer s.close()
	texts = map[string]string{}
	for _, f := range s.files(paths) {
		text := f.read(binary, make([]byte, beginning))
		name, err := filepath.Rel(root, f.path)
		require.NoError(t, err)
		switch {
		case f.err != nil:
			assert.False(t, f.isText)
			errs = append(errs, f.err)
		case f.isText:
			texts[name] = text
		}
	}
	return texts, errs
}

func TestRead(t *testing.T) {
	t.Parallel()
	for content, isText := range map[string]bool{
		"": true, "x": true, strings.Repeat("x", 9000): true, strings.Repeat("x", 8000) + "\x00": true, strings.Repeat("x", 7999) + "\x00y": false, "\x00": false,
		"\x00" + strings.Repeat("x", 9000): false,
	} {
		root := t.TempDir()
		path := filepath.Join(root, "file")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		all := map[string]string{"file": content}
		texts, errs := read(t, root, true, path)
		assert.Equal(t, all, texts, "a named file is read, binary or not")
		assert.Empty(t, errs)
		if !isText {
			all = map[string]string{}
		}
		for _, name := range []string{path, root} {
			texts, errs = read(t, root, name == root, name)
			assert.Equal(t, all, texts)
			assert.Empty(t, errs)
		}
	}
	_, errs := read(t, "/", true, filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, errors.Join(errs...), os.ErrNotExist)
}

// Some files are terabytes long. Only those that begin with text are errors.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	root := tree(t, "a first", "b.sparse text", "c.sparse \x00", "d last")
	for _, name := range []string{"b.sparse", "c.sparse"} {
		if err := os.Truncate(filepath.Join(root, name), 8<<40); err != nil {
			require.NoError(t, os.Truncate(filepath.Join(root, name), 1<<30)) // not every file system supports such sizes
		}
	}
	text := "text" + strings.Repeat("x", 8000)
	b, err := os.OpenFile(filepath.Join(root, "b.sparse"), os.O_WRONLY, 0)
	require.NoError(t, err)
	defer b.Close()
	_, err = b.WriteString(text)
	require.NoError(t, err)
	texts, errs := read(t, root, false, root)
	assert.Equal(t, map[string]string{"a": "first", "d": "last"}, texts)
	require.Len(t, errs, 1)
	require.EqualError(t, errs[0], "read "+filepath.Join(root, "b.sparse")+": more than 512 MiB")
	_, errs = read(t, root, true, filepath.Join(root, "c.sparse"))
	require.ErrorContains(t, errors.Join(errs...), "more than 512 MiB")
}

func TestLinksThatLeave(t *testing.T) {
	t.Parallel()
	outside := tree(t, "secret x", "folder/secret x")
	root := tree(t, "a x", "b/c x", "d/e x")
	s, err := new(Flags).selection(nil)
	require.NoError(t, err)
	defer s.close()
	selected := s.files([]string{root})
	require.Len(t, selected, 3)
	// Someone replaces files and directories with links after they were selected.
	for name, target := range map[string]string{"a": "secret", "b": "folder"} {
		require.NoError(t, os.RemoveAll(filepath.Join(root, name)))
		if err := os.Symlink(filepath.Join(outside, target), filepath.Join(root, name)); err != nil {
			return // Windows needs a privilege
		}
	}
	require.NoError(t, os.Symlink("secret", filepath.Join(outside, "folder", "c")))
	for i, f := range selected {
		text := f.read(true, make([]byte, beginning))
		assert.Equal(t, i == 2, f.err == nil, f.path)
		assert.Equal(t, i == 2, text == "x", f.path)
	}
}

func TestWide(t *testing.T) {
	t.Parallel()
	const little, big = "\xff\xfe", "\xfe\xff"
	for content, want := range map[string]string{
		little + "a\x00\n\x00\xe9\x00": "a\né", big + "\x00a\x00\n\x00\xe9": "a\né", little: "", big: "",
		little + "\x3d\xd8\x00\xde": "\U0001F600", big + "\xd8\x3d\xde\x00\x21\x21": "\U0001F600\u2121",
		big + "\x00\x00\x00a": "\x00a", "\xef\xbb\xbfa": "\xef\xbb\xbfa", "a\xff\xfe": "a\xff\xfe",
	} {
		root := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(root, "f"), []byte(content), 0o600))
		texts, errs := read(t, root, false, root)
		assert.Empty(t, errs, "%q", content)
		assert.Equal(t, map[string]string{"f": want}, texts, "%q", content)
	}
	for _, content := range []string{little + "a", little + "a\x00b", little + "\x00\xd8", big + "\xd8\x00\x00a", little + "\x00\xdc\x00\xd8", big + "\xdc\x00\x00a",
		little + "\x00\x00a\x00\x00\x00"} { // UTF-32
		root := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(root, "f"), []byte(content), 0o600))
		texts, errs := read(t, root, false, root)
		assert.Empty(t, texts, "%q", content)
		require.EqualError(t, errors.Join(errs...), "read "+filepath.Join(root, "f")+": starts like UTF-16, but is not", "%q", content)
	}
}

func FuzzDecoded(f *testing.F) {
	f.Add("\xff\xfea\x00", "é\U0001F600\n")
	f.Fuzz(func(t *testing.T, content, text string) {
		_, _ = Decoded(content)
		text = strings.TrimLeft(strings.ToValidUTF8(text, "?"), "\x00") // else it would be UTF-32
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			wide := order.AppendUint16(nil, 0xfeff)
			for _, unit := range utf16.Encode([]rune(text)) {
				wide = order.AppendUint16(wide, unit)
			}
			decoded, err := Decoded(string(wide))
			require.NoError(t, err)
			assert.Equal(t, text, decoded)
		}
	})
}

// listed returns the files that git would add, as an independent reading of .gitignore.
func listed(t *testing.T, root string) string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore")
	cmd.Dir = root
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR="+filepath.Join(root, "git.dir"), "GIT_WORK_TREE="+root)
	out, err := cmd.Output()
	require.NoError(t, err)
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	files = slices.DeleteFunc(files, func(name string) bool { return name == "" || strings.HasPrefix(name, "git.dir/") })
	slices.Sort(files)
	return strings.Join(files, " ")
}

// Compares random and fixed patterns with git. Patterns such as x**/a are left out: git's
// documentation calls their stars ordinary, but its code doesn't treat them so.
func TestGitReadsPatternsTheSameWay(t *testing.T) {
	t.Parallel()
	root := tree(t, "a", "b", "ab", "ba", "a.b", "x/a", "x/b", "x/ab", "x/y/a", "x/y/b", "x/y/a.b", "y/x/a", "y/a/b", "#a", "!a", "a-b", "x/]", "[a]", "a*")
	init := exec.Command("git", "init", "-q", "--bare", filepath.Join(root, "git.dir"))
	require.NoError(t, init.Run())
	require.NoError(t, os.WriteFile(filepath.Join(root, "git.dir", ".gitignore"), []byte("*"), 0o600))
	lines := []string{
		"a", "/a", "a/", "x/", "/x/y", "x/*", "x/**", "**/a", "**/y/*", "x/**/a", "a*", "?", "[ab]", "[!a]", "[^a]*", "[a-b]?", `\#a`, `\!a`, "#a", "*.b",
		`[\a]`, "**", "/**", "*/a", "x/**/", "**/", "a**", "a ", "a\r", "\ufeffa", "[a", `a\`, "x//a", "/", "*\n!a", "x/*\n!x/a", "x\n!x/a",
		"*\n!*/\n!b", `\[a\]`, `a\*`, "***", "**/**/a", "x/***", `[\]]`, "[[]a]", "[a\\-z]b",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		var line strings.Builder
		for range 1 + random.IntN(6) {
			line.WriteString([]string{"a", "b", "x", "y", "*", "**", "?", "/", "/", "[ab]", "[!a]", ".", "!", "\n", "\n!", "**/", "/**", `\`, "-"}[random.IntN(19)])
		}
		lines = append(lines, line.String())
	}
	for _, text := range lines {
		require.NoError(t, os.WriteFile(filepath.Join(root, ".gitignore"), []byte(text+"\n"), 0o600))
		got := strings.Fields(names(t, Flags{}, root, "."))
		got = slices.DeleteFunc(got, func(name string) bool { return strings.HasPrefix(name, "git.dir/") })
		slices.Sort(got)
		assert.Equal(t, listed(t, root), strings.Join(got, " "), "%q", text)
	}
}

// No pattern may cause a panic, and "**/" before a name pattern must change nothing.
func FuzzExclude(f *testing.F) {
	f.Add("a[!b-c]*", "x/abc")
	f.Add("**/a/**/b*c?", "a/x/b")
	f.Add(`[\]-`, "]")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		plain, err := (&Flags{exclude: []string{pattern}}).selection(nil)
		if err != nil || strings.ContainsAny(pattern, "/") || strings.ContainsAny(path, "\x00") {
			return
		}
		deep, err := (&Flags{exclude: []string{"**/" + pattern}}).selection(nil)
		require.NoError(t, err)
		// A missing file is selected with an error, unless it's excluded.
		assert.Equal(t, plain.exclude.last(split(path), false) == nil, deep.exclude.last(split(path), false) == nil, "%q %q", pattern, path)
	})
}

// A pattern with many stars almost matches a long name.
func TestPatternsTakeLinearTime(t *testing.T) {
	t.Parallel()
	s, err := (&Flags{exclude: []string{strings.Repeat("*a", 2000) + "b", strings.Repeat("**/a/", 2000) + "b"}}).selection(nil)
	require.NoError(t, err)
	assert.Nil(t, s.exclude.last(split(strings.Repeat("a", 20_000)), false))
	assert.Nil(t, s.exclude.last(split(strings.Repeat("a/", 5000)), false))
}
