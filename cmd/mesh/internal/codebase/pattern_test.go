package codebase

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listed returns the files that git would add from a folder, as an independent reading of its .gitignore.
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

// TestGitReadsPatternsTheSameWay compares made and fixed patterns with git. A pattern such as x**/a is not among them: its stars are ordinary
// ones by the documentation of git, and not by its code.
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

// FuzzExclude checks that no pattern and no .gitignore panics, and that "**" in front of a pattern for names changes nothing.
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
		// A file that does not exist is selected with an error, unless it is excluded.
		assert.Equal(t, plain.exclude.last(split(path), false) == nil, deep.exclude.last(split(path), false) == nil, "%q %q", pattern, path)
	})
}

// TestPatternsTakeLinearTime matches a pattern with many stars with a long name that it almost matches.
func TestPatternsTakeLinearTime(t *testing.T) {
	t.Parallel()
	s, err := (&Flags{exclude: []string{strings.Repeat("*a", 2000) + "b", strings.Repeat("**/a/", 2000) + "b"}}).selection(nil)
	require.NoError(t, err)
	assert.Nil(t, s.exclude.last(split(strings.Repeat("a", 20_000)), false))
	assert.Nil(t, s.exclude.last(split(strings.Repeat("a/", 5000)), false))
}
