package calls

import (
	"bytes"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// claudeLine is a line of Claude Code. A response has a line of type assistant for each block of its content, with its id and its usage,
// which may grow. A fork of a session has copies of them, and so may have an agent (isSidechain), under another requestId.
type claudeLine struct {
	kind, time, session, cwd, id, model string
	copied, failed                      bool

	usage  []byte
	tokens int64
}

func claudeLines(s *session) func() {
	var l claudeLine
	line := sessionFields{
		"type": &l.kind, "timestamp": &l.time, "sessionId": &l.session, "cwd": &l.cwd, "isSidechain": &l.copied, "isApiErrorMessage": &l.failed,
		"message": sessionFields{
			"id": &l.id, "model": &l.model, "usage": func() { s.members(func(key []byte) { l.count(s, key) }) },
		},
	}
	return func() {
		l = claudeLine{}
		s.object(line)
		if s.wrong == nil && l.kind == "assistant" && !l.failed && l.model != "<synthetic>" && (l.tokens > 0 || l.usage == nil) {
			l.add(s)
		}
	}
}

func (l *claudeLine) add(s *session) {
	if l.usage == nil {
		s.fail(errNoUsage, errNoUsage)
		return
	}
	l.usage[0] = '{'
	s.add(Record{
		ID: l.id, Provider: models.Anthropic, Model: l.model, Usage: append(l.usage, '}'), Labels: s.labelsOf(l.cwd, l.session),
	}, l.time, l.copied)
}

// count keeps a member of the usage object of the response. The only region with a price of its own is us.
func (l *claudeLine) count(s *session, key []byte) {
	begin := s.Mark()
	if bytes.HasSuffix(key, []byte("_tokens")) {
		var n int64
		s.count(&n)
		l.tokens += n
	} else {
		s.skip()
	}
	value := s.Since(begin)
	if len(bytes.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_")) == 0 && (string(key) != "inference_geo" || string(value) == `"us"`) {
		l.usage = append(append(append(append(l.usage, `,"`...), key...), `":`...), value...)
	}
}
