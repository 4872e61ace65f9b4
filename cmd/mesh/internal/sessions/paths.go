package sessions

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// Paths returns the [Places] that exist.
func Paths() []string {
	return slices.DeleteFunc(Places(), func(path string) bool { _, err := os.Stat(path); return err != nil })
}

// Places returns the directories and databases in which agent programs keep sessions.
// docs/sessions.md lists them.
func Places() []string {
	home, _ := os.UserHomeDir()
	folder := func(variable, other string) string {
		return cmp.Or(os.Getenv(variable), filepath.Join(home, filepath.FromSlash(other)))
	}
	codex, opencode := folder("CODEX_HOME", ".codex"), folder("XDG_DATA_HOME", ".local/share")+"/opencode"
	paths := []string{
		codex + "/sessions", codex + "/archived_sessions", folder("GEMINI_CLI_HOME", "") + "/.gemini/tmp", opencode + "/storage/message", opencode + "/opencode*.db", os.Getenv("OPENCODE_DB"),
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
	paths = slices.DeleteFunc(paths, func(path string) bool { return path == "" })
	for i, path := range paths {
		paths[i] = filepath.FromSlash(path)
	}
	return paths
}

// signs are paths that identify programs whose sessions aren't read.
var signs = []struct{ path, program string }{
	{".aider.chat.history.md", "Aider"},
	{".aider.llm.history", "Aider"},
	{".augment", "Auggie"},
	{".aws/amazonq", "Amazon Q"},
	{".cline", "Cline"},
	{".codeium/windsurf", "Windsurf"},
	{".continue", "Continue"},
	{".crush", "Crush"},
	{".cursor", "Cursor"},
	{".grok", "Grok CLI"},
	{".kimi", "Kimi CLI"},
	{".kiro", "Kiro"},
	{".openhands", "OpenHands"},
	{".windsurf", "Windsurf"},
	{"amp/threads", "Amp"},
	{"Cursor/User", "Cursor"},
	{"github.copilot-chat", "Copilot Chat"},
	{"goose/sessions", "Goose"},
	{"kilocode.kilo-code", "Kilo Code"},
	{"rooveterinaryinc.roo-cline", "Roo Code"},
	{"saoudrizwan.claude-dev", "Cline"},
	{"Windsurf/User", "Windsurf"},
	{"zed/threads", "Zed"},
}

// UnsupportedError names the program if its sessions aren't read.
type UnsupportedError struct{ Path, Program string }

func (e *UnsupportedError) Error() string {
	return e.Path + ": the sessions of " + e.Program + " are not read"
}

// Unwrap returns [calls.ErrUnsupported].
func (e *UnsupportedError) Unwrap() error { return calls.ErrUnsupported }

// Unsupported returns an *UnsupportedError if path belongs to a program whose sessions
// aren't read, or nil.
func Unsupported(path string) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil //nolint:nilerr // it has no sign
	}
	for _, s := range signs {
		if hasSign(full, strings.Split(s.path, "/")) {
			return &UnsupportedError{path, s.program}
		}
	}
	return nil
}

// hasSign reports whether path is at or below a sign such as .aws/amazonq, or is a
// directory that contains one, such as .aws.
func hasSign(path string, sign []string) bool {
	slashed := filepath.ToSlash(path)
	if strings.Contains(slashed+"/", "/"+strings.Join(sign, "/")+"/") {
		return true
	}
	for i := range sign {
		if head := strings.Join(sign[:i], "/"); head != "" && !strings.HasSuffix(slashed, "/"+head) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(path, filepath.Join(sign[i:]...))); err == nil {
			return true
		}
	}
	return false
}
