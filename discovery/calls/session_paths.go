package calls

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sessionRank sorts files so that the one whose lines count is read first: calls files, whose costs are charges, before sessions, a session
// of Codex before its archived copy and before its forks, which are younger, and others before the copies that agents of Claude Code have,
// and before the older form of Gemini CLI. Claude Code names a file by a UUID.
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
	case len(name) == len("d572515c-7bf8-4bde-bcbf-c7efc399d7f4.jsonl") && strings.Count(name, "-") == 4:
		return "0"
	}
	return ""
}

// SessionPaths returns the folders in which agent programs keep their sessions, and the databases of opencode, as far as they exist:
//
//   - projects in $CLAUDE_CONFIG_DIR, which may be several folders with commas, else in ~/.claude and in claude of $XDG_CONFIG_HOME (~/.config)
//   - sessions and archived_sessions in $CODEX_HOME (~/.codex)
//   - .gemini/tmp in $GEMINI_CLI_HOME (the home folder)
//   - storage/message and opencode*.db in opencode of $XDG_DATA_HOME (~/.local/share), and $OPENCODE_DB
//
// [Read] and [Sum] read these paths: the content of a file shows the program. Their records have Session set, the labels
// program, project and session, and no cost yet. ID is the response's id with Claude Code and newer versions of Codex, else
// an id of the program, or "". The files have no failed calls, no fees and don't say how a call was paid; only those of
// Claude Code state a tier. docs/sessions.md has the details.
//
// The error of an opencode database, and of a file compressed with zstd, is [ErrUnsupported]. No error contains a part of
// a conversation. A line has at most 16 MiB.
func SessionPaths() []string {
	home, _ := os.UserHomeDir()
	folder := func(variable, other string) string {
		return cmp.Or(os.Getenv(variable), filepath.Join(home, filepath.FromSlash(other)))
	}
	codex, opencode := folder("CODEX_HOME", ".codex"), folder("XDG_DATA_HOME", ".local/share")+"/opencode"
	paths := []string{
		codex + "/sessions", codex + "/archived_sessions", folder("GEMINI_CLI_HOME", "") + "/.gemini/tmp", opencode + "/storage/message", os.Getenv("OPENCODE_DB"),
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
