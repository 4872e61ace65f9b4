// The git hook in examples/pre-commit runs mesh scan.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stagedKey looks like an OpenAI key. It's put together here so that this file doesn't
// match.
var stagedKey = "sk-" + "proj-" + strings.Repeat("a1B2", 6)

// repository is a git repository with the hook.
type repository struct {
	t      *testing.T
	folder string
	env    []string
}

// newRepository installs the hook. The machine's git configuration has no effect, nor do
// variables such as GIT_DIR: git sets them in a hook, and they would lead to the
// developer's repository.
func newRepository(t *testing.T) *repository {
	t.Helper()
	folder := t.TempDir()
	own := slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "GIT_") })
	r := &repository{t: t, folder: folder, env: append(own,
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "MESH_GATEWAY_TOKEN=",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")}
	r.git("init", "-q")
	hook, err := os.ReadFile("../../examples/pre-commit/pre-commit")
	require.NoError(t, err)
	hooks := filepath.Join(folder, ".git", "hooks")
	require.NoError(t, os.MkdirAll(hooks, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(hooks, "pre-commit"), hook, 0o755))
	return r
}

func (r *repository) run(args ...string) (string, error) {
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = r.folder, r.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// git runs git, which must succeed.
func (r *repository) git(args ...string) {
	r.t.Helper()
	out, err := r.run(args...)
	require.NoError(r.t, err, out)
}

func (r *repository) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.folder, name)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r.t, os.WriteFile(path, []byte(content), 0o644))
}

// refused checks that a commit fails with place in the output, and without the key.
func (r *repository) refused(place string) {
	r.t.Helper()
	out, err := r.run("commit", "-m", "a change")
	assert.Error(r.t, err, out)
	assert.Contains(r.t, out, place)
	assert.Contains(r.t, out, "nothing was committed")
	assert.NotContains(r.t, out, stagedKey)
}

func TestHook(t *testing.T) {
	t.Parallel()
	r := newRepository(t)

	r.write("README.md", "hello\n")
	r.git("add", ".")
	r.git("commit", "-m", "the first commit")

	r.write("src/a file's name.txt", "one\nkey: "+stagedKey+"\n")
	r.git("add", ".")
	r.refused("./src/a file's name.txt:2:6: openai-api-key")

	// The staged content counts, not the working tree.
	r.write("src/a file's name.txt", "one\n")
	r.refused("./src/a file's name.txt:2:6: openai-api-key")
	r.git("add", ".")
	r.write("README.md", stagedKey+"\n")
	r.git("commit", "-m", "only clean content is staged")

	// So does every file of `git commit -a`, and a renamed one.
	out, err := r.run("commit", "-a", "-m", "a change")
	assert.Error(t, err, out)
	assert.Contains(t, out, "./README.md:1:1: openai-api-key")
	r.git("commit", "--no-verify", "-a", "-m", "against advice")
	r.git("mv", "README.md", "README.txt")
	r.refused("./README.txt:1:1: openai-api-key")

	// A deletion has no content.
	r.git("rm", "-q", "-f", "README.txt")
	r.git("commit", "-m", "remove the key")
}

// Nothing between a blob and the working tree may hide a key, nor may a file's name.
func TestHookReadsBlobs(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.git("config", "filter.hide.smudge", "tr a-z A-Z")
	r.write("README.md", "hello\n")
	r.git("add", ".")
	r.git("commit", "-m", "the first commit")
	r.write(".gitattributes", "encoded.txt working-tree-encoding=UTF-16LE\nfiltered.txt filter=hide\nlines.txt eol=crlf\n")
	files := []struct{ name, content, place string }{
		{"encoded.txt", utf16(stagedKey), "./encoded.txt:1:1"},
		{"filtered.txt", stagedKey, "./filtered.txt:1:1"},
		{"lines.txt", "one\r\n" + stagedKey, "./lines.txt:2:1"},
		{"a\nb\\.txt", stagedKey, `./"a\nb\\.txt":1:1`},
		{"a\tb/c.txt", stagedKey, `./"a\tb/c.txt":1:1`},
		{`"a" 'b' $(c).txt`, stagedKey, `./"\"a\" 'b' $(c).txt":1:1`},
		{" a  b ", stagedKey, "./ a  b :1:1"},
		{"-rf", stagedKey, "./-rf:1:1"},
		{"ä.txt", stagedKey, "./ä.txt:1:1"},
	}
	for _, f := range files {
		r.write(f.name, f.content)
	}
	r.git("add", ".")
	for _, f := range files {
		r.git("reset", "-q")
		r.git("add", "--", ".gitattributes", f.name)
		r.refused(f.place + ": openai-api-key")
	}
}

// utf16 returns text in UTF-16LE, in which no rule matches.
func utf16(text string) string {
	var b strings.Builder
	for _, c := range text {
		b.WriteRune(c)
		b.WriteByte(0)
	}
	return b.String()
}

func TestHookReadsSymbolicLinks(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	require.NoError(t, os.Symlink("/tmp/"+stagedKey, filepath.Join(r.folder, "link")))
	r.git("add", ".")
	r.refused("./link:1:6: openai-api-key")
}

// Accepted findings don't stop a commit, but others in the same file do.
func TestHookWithABaseline(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.write("old/a.txt", stagedKey+"\n")
	cmd := exec.CommandContext(t.Context(), "mesh", "scan", "--extended", "--write-baseline", "credentials.baseline", ".")
	cmd.Dir, cmd.Env = r.folder, r.env
	require.NoError(t, cmd.Run())
	r.git("add", "old")
	r.refused("A comment mesh:ignore")
	r.git("add", ".")
	r.git("commit", "-m", "with a baseline")
	r.write("old/a.txt", "one\n"+stagedKey+"\n")
	r.git("commit", "-a", "-m", "a known key in another line")
	r.write("old/a.txt", stagedKey+"\n"+stagedKey+"\n")
	r.git("add", ".")
	r.refused("./old/a.txt:2:1: openai-api-key")
}

// A submodule's commit has no blob in this repository, which isn't an error.
func TestHookSkipsSubmodules(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.git("commit", "--allow-empty", "-m", "the first commit")
	commit, err := r.run("rev-parse", "HEAD")
	require.NoError(t, err)
	r.git("update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(commit)+",module")
	r.git("commit", "-m", "a submodule")
}

func TestHookWithoutMeshFails(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	r.env = append(r.env, "PATH="+filepath.Dir(git))
	r.write("README.md", "hello\n")
	r.git("add", ".")
	out, err := r.run("commit", "-m", "a change")
	assert.Error(t, err)
	assert.Contains(t, out, "the command mesh is not in PATH")
}
