package sessions_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sessions"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// Not parallel: these tests set environment variables.

func clearSessionVariables(t *testing.T, home string) {
	t.Helper()
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "OPENCODE_DB"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
}

func TestSessionPaths(t *testing.T) {
	home := writeFiles(t, map[string]string{
		".claude/projects/a/1.jsonl": "", ".config/claude/projects/a/1.jsonl": "", ".codex/sessions/1.jsonl": "", ".codex/archived_sessions/1.jsonl": "",
		".gemini/tmp/a/chats/session-1.jsonl": "", ".local/share/opencode/storage/message/a/msg_1.json": "", ".local/share/opencode/opencode.db": "",
		".local/share/opencode/opencode-dev.db": "", ".local/share/opencode/auth.json": "", "other/projects/1.jsonl": "", "third/projects/1.jsonl": "", "[x]/sessions/1.jsonl": "",
		"other/.gemini/tmp/1.jsonl": "", "other/opencode/storage/message/1.json": "", "my.db": "",
	})
	clearSessionVariables(t, home)
	at := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(home, filepath.FromSlash(name)))
		}
		return paths
	}
	assert.ElementsMatch(t, at(".claude/projects", ".config/claude/projects", ".codex/sessions", ".codex/archived_sessions", ".gemini/tmp",
		".local/share/opencode/storage/message", ".local/share/opencode/opencode.db", ".local/share/opencode/opencode-dev.db"), sessions.Paths())

	t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(home, "other")+", "+filepath.Join(home, "third"))
	t.Setenv("CODEX_HOME", filepath.Join(home, "[x]"))
	for _, name := range []string{"GEMINI_CLI_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, filepath.Join(home, "other"))
	}
	t.Setenv("OPENCODE_DB", filepath.Join(home, "my.db"))
	assert.ElementsMatch(t, at("other/projects", "third/projects", "[x]/sessions", "other/.gemini/tmp", "other/opencode/storage/message", "my.db"), sessions.Paths())
}

func TestSessionsWithoutPaths(t *testing.T) {
	home := t.TempDir()
	clearSessionVariables(t, home)
	records, errs := collect(calls.Read(recorded(), sessions.Paths()...))
	assert.Empty(t, records)
	assert.Empty(t, errs)
	assert.NoError(t, os.CopyFS(filepath.Join(home, ".claude"), os.DirFS(filepath.Join(sessionFiles, "claude"))))
	records, errs = collect(calls.Read(recorded(), sessions.Paths()...))
	assert.Len(t, records, 15)
	assert.Len(t, errs, 2)
}
