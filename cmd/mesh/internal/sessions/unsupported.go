package sessions

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// signs show programs whose sessions aren't read.
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

// Unsupported returns an *UnsupportedError for files and directories of a known program.
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

// hasSign reports whether path has a sign, or its end is below path.
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
