package sessions

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Paths returns the directories and databases in which agent programs keep sessions, if
// they exist. docs/sessions.md lists them.
func Paths() []string {
	home, _ := os.UserHomeDir()
	folder := func(variable, other string) string {
		return cmp.Or(os.Getenv(variable), filepath.Join(home, filepath.FromSlash(other)))
	}
	codex, opencode := folder("CODEX_HOME", ".codex"), folder("XDG_DATA_HOME", ".local/share")+"/opencode"
	paths := []string{
		codex + "/sessions", codex + "/archived_sessions", folder("GEMINI_CLI_HOME", "") + "/.gemini/tmp", opencode + "/storage/message", os.Getenv("OPENCODE_DB"),
		home + "/.copilot/session-state", home + "/.pi/agent/sessions", home + "/.qwen/usage", home + "/.qwen/usage_record.jsonl", home + "/.factory/sessions",
	}
	databases, _ := fs.Glob(os.DirFS(opencode), "opencode*.db")
	for _, name := range databases {
		paths = append(paths, opencode+"/"+name)
	}
	claude := []string{home + "/.claude", folder("XDG_CONFIG_HOME", ".config") + "/claude"}
	if dirs := os.Getenv("CLAUDE_CONFIG_DIR"); dirs != "" {
		claude = strings.Split(dirs, ",")
	}
	for _, dir := range claude {
		paths = append(paths, strings.TrimSpace(dir)+"/projects")
	}
	for i, path := range paths {
		paths[i] = filepath.FromSlash(path)
	}
	return slices.DeleteFunc(paths, func(path string) bool { _, err := os.Stat(path); return err != nil })
}
