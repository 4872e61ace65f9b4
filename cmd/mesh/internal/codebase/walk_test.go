package codebase

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

// git runs git in a directory, without the machine's configuration.
func git(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = folder
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestTrackedFiles(t *testing.T) {
	t.Parallel()
	root := tree(t, ".gitignore *.env\n/out/\nsub/.env\n", "a.env", "b.env", "out/c", "out/d", "out/deep/e", "out/deep/f", "sub/.env", "sub/g", "sub/out/h.env",
		"inner/.gitignore *\n", "inner/i", "inner/j", "vendor/k", "m/.hg/l", "m/.svn/n")
	git(t, root, "init", "-q")
	git(t, root, "add", "-f", ".gitignore", "a.env", "out/c", "out/deep/e", "sub/.env", "vendor/k", "m/.hg/l")
	git(t, filepath.Join(root, "inner"), "init", "-q")
	git(t, filepath.Join(root, "inner"), "add", "-f", "i")
	assert.Equal(t, ".gitignore a.env inner/i m/.hg/l out/c out/deep/e sub/.env sub/g", names(t, Flags{}, root, "."))
	assert.Equal(t, "out/deep/e out/deep/f", names(t, Flags{}, root, "out/deep"), "a named directory isn't ignored")
	assert.Equal(t, "sub/.env sub/g", names(t, Flags{}, root, "sub"))
	assert.Equal(t, "inner/i", names(t, Flags{}, root, "inner"))
	assert.Contains(t, names(t, Flags{allFiles: true}, root, "."), "b.env")
	require.NoError(t, os.WriteFile(filepath.Join(root, ".git", "index"), []byte("broken"), 0o600))
	assert.Equal(t, ".gitignore inner/i sub/g", names(t, Flags{}, root, "."), "without an index, .gitignore decides")
}

// The repository's configuration names a program wherever reading an index could run one.
func TestGitRunsNothingOfARepository(t *testing.T) {
	t.Parallel()
	root := tree(t, ".gitignore *.env\n", "a.env", "hooks/x")
	git(t, root, "init", "-q")
	git(t, root, "add", "-f", ".gitignore", "a.env")
	ran := filepath.Join(root, "ran.env")
	program := "#!/bin/sh\necho \"$0\" >> '" + ran + "'\n"
	for _, name := range []string{"program", "post-index-change", "query-watchman"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "hooks", name), []byte(program), 0o700))
	}
	script := filepath.Join(root, "hooks", "program")
	for name, value := range map[string]string{
		"core.fsmonitor": script, "core.hooksPath": filepath.Join(root, "hooks"), "core.pager": script, "pager.ls-files": script, "alias.ls-files": "!" + script,
		"core.sshCommand": script, "core.askPass": script, "credential.helper": script, "core.editor": script, "diff.external": script,
		"filter.x.clean": script, "filter.x.smudge": script, "filter.x.process": script,
		"remote.origin.url": "ext::" + script, "remote.origin.promisor": "true", "protocol.ext.allow": "always",
	} {
		git(t, root, "config", name, value)
	}
	git(t, root, "config", "extensions.partialClone", "origin")
	require.NoError(t, os.WriteFile(filepath.Join(root, ".gitattributes"), []byte("* filter=x\n"), 0o600))
	_, err := os.Stat(ran)
	if err == nil { // because of the configuration above
		require.NoError(t, os.Remove(ran))
	}
	assert.Equal(t, ".gitattributes .gitignore a.env hooks/post-index-change hooks/program hooks/query-watchman hooks/x", names(t, Flags{}, root, "."))
	assert.NoFileExists(t, ran)
}
