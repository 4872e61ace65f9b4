package calls

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// sessionRank sorts files so that the one whose lines count is read first: a session of Codex before its archived copy and before its forks,
// which are younger, and others before the copies that agents of Claude Code have, and before the older form of Gemini CLI.
func sessionRank(file string) string {
	name := filepath.Base(file)
	switch {
	case strings.HasPrefix(name, "rollout-"):
		if strings.Contains(file, "archived_sessions") {
			name += "2"
		}
		return "1" + name
	case strings.HasPrefix(name, "agent-"), strings.HasPrefix(name, "session-") && strings.HasSuffix(name, ".json"):
		return "1"
	}
	return ""
}

// SessionPaths returns the folders in which agent programs keep their sessions, and the databases of opencode, as far as they exist:
//
//   - projects in $CLAUDE_CONFIG_DIR, which may be several folders with commas, else in ~/.claude and in claude of $XDG_CONFIG_HOME (~/.config)
//   - sessions and archived_sessions in $CODEX_HOME (~/.codex)
//   - .gemini/tmp in $GEMINI_CLI_HOME (the home folder)
//   - storage/message and opencode*.db in opencode of $XDG_DATA_HOME (~/.local/share), and $OPENCODE_DB
func SessionPaths() []string {
	home, _ := os.UserHomeDir()
	folder := func(variable, other string) string {
		return cmp.Or(os.Getenv(variable), filepath.Join(home, filepath.FromSlash(other)))
	}
	codex, data := folder("CODEX_HOME", ".codex"), folder("XDG_DATA_HOME", ".local/share")
	patterns := []string{
		codex + "/sessions", codex + "/archived_sessions", folder("GEMINI_CLI_HOME", "") + "/.gemini/tmp",
		data + "/opencode/storage/message", data + "/opencode/opencode*.db", os.Getenv("OPENCODE_DB"),
	}
	claude := []string{home + "/.claude", folder("XDG_CONFIG_HOME", ".config") + "/claude"}
	if dirs := os.Getenv("CLAUDE_CONFIG_DIR"); dirs != "" {
		claude = strings.Split(dirs, ",")
	}
	for _, dir := range claude {
		patterns = append(patterns, strings.TrimSpace(dir)+"/projects")
	}
	var paths []string
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.FromSlash(pattern)) // an invalid one finds nothing
		paths = append(paths, found...)
	}
	return paths
}
