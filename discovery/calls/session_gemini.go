package calls

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// beginGemini reads a file of Gemini CLI: of older versions an object with all messages, of newer ones a head, the messages, and changes,
// line by line. A message is repeated with its id, after a resume without its tokens. A rewind takes no call back. The input includes what
// was read from caches, tools are beside it, and thoughts beside the output.
func beginGemini(s *session) {
	var project, id []byte
	folders := strings.Split(filepath.ToSlash(s.source.file), "/") // tmp/PROJECT/chats
	if i := slices.Index(folders, "chats"); i > 0 {
		project, _ = json.Marshal(folders[i-1])
	}
	l := &s.line
	s.provider = []byte(`"gemini"`)
	s.fields = sessionFields{
		"type": &l.kind, "timestamp": &l.time, "id": &l.id, "model": &l.model, "$set": s.read, "messages": s.readAll,
		"sessionId": func() { id = bytes.Clone(s.value()) },
		"tokens":    l.counts.fields("input", "cached", "output", "thoughts", "tool"),
	}
	s.take = func() {
		if string(l.kind) == `"gemini"` {
			s.setLabels(project, id)
			s.addCounts("promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "toolUsePromptTokenCount")
		}
	}
}

// readAll reads a list of objects.
func (s *session) readAll() {
	if s.Next() != jsonread.Array {
		s.value()
		return
	}
	elements := s.Array()
	for s.wrong == nil && elements.Next() {
		s.read()
	}
	if elements.Err() != nil {
		s.fail(errSessionLine)
	}
}
