package calls

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// geminiFile is a file of Gemini CLI: of older versions an object with all messages, of newer ones a head, the messages, and changes, line
// by line. A message is repeated with its id, after a resume without its tokens. A rewind takes no call back.
type geminiFile struct {
	*session
	project, id string
	message     geminiMessage
	fields      sessionFields
}

// geminiMessage has counts: the input includes what was read from caches, tools are beside it, and thoughts beside the output.
type geminiMessage struct {
	kind, time, id, model                 string
	input, cached, output, thoughts, tool int64
}

func geminiLines(s *session) func() {
	g := &geminiFile{session: s}
	folders := strings.Split(filepath.ToSlash(s.source.file), "/") // tmp/PROJECT/chats
	if i := slices.Index(folders, "chats"); i > 0 {
		g.project = folders[i-1]
	}
	m := &g.message
	g.fields = sessionFields{
		"type": &m.kind, "timestamp": &m.time, "id": &m.id, "model": &m.model, "$set": g.read, "messages": g.readAll,
		"sessionId": &g.id,
		"tokens":    sessionFields{"input": &m.input, "cached": &m.cached, "output": &m.output, "thoughts": &m.thoughts, "tool": &m.tool},
	}
	return g.read
}

// read reads a message, or an object with messages.
func (g *geminiFile) read() {
	g.object(g.fields)
	m := g.message
	g.message = geminiMessage{} // the object around it is not a message
	if g.wrong != nil || m.kind != "gemini" || m.input+m.cached+m.output+m.thoughts+m.tool == 0 {
		return
	}
	g.add(Record{
		ID: m.id, Provider: models.Gemini, Model: m.model, Labels: g.labelsOf(g.project, g.id),
		Usage: fmt.Appendf(nil, `{"promptTokenCount":%d,"cachedContentTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d,"toolUsePromptTokenCount":%d}`,
			m.input, m.cached, m.output, m.thoughts, m.tool),
	}, m.time, false)
}

// readAll reads a list of messages.
func (g *geminiFile) readAll() {
	if g.Next() != jsonread.Array {
		g.skip()
		return
	}
	messages := g.Array()
	for g.wrong == nil && messages.Next() {
		g.read()
	}
	g.fail(messages.Err(), errSessionLine)
}
