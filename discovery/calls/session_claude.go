package calls

import "bytes"

// beginClaude reads a file of Claude Code. A response has a line of type assistant for each block of its content, with its id and its
// usage, which may grow. A fork of a session has copies of them, and so may have an agent (isSidechain), under another requestId.
func beginClaude(s *session) {
	l := &s.line
	s.provider = []byte(`"anthropic"`)
	s.fields = sessionFields{
		"type": &l.kind, "timestamp": &l.time, "sessionId": &l.session, "cwd": &l.cwd, "isSidechain": &l.copied, "isApiErrorMessage": &l.failed,
		"message": sessionFields{"id": &l.id, "model": &l.model, "usage": func() { s.members(s.claudeUsage) }},
	}
	s.take = func() {
		switch {
		case string(l.kind) != `"assistant"`, l.failed, string(l.model) == `"<synthetic>"`:
		case len(l.usage) == 0:
			s.fail(errNoUsage)
		case l.counts[0] > 0:
			s.setLabels(l.cwd, l.session)
			s.add()
		}
	}
}

// claudeUsage keeps a member of the usage object of the response, and adds a count to the first one. The only region with a price of its
// own is us.
func (s *session) claudeUsage(key []byte) {
	begin := s.Mark()
	if bytes.HasSuffix(key, []byte("_tokens")) {
		s.line.counts[0] += s.count()
	} else {
		s.value()
	}
	value := s.Since(begin)
	if len(bytes.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_")) == 0 && (string(key) != "inference_geo" || string(value) == `"us"`) {
		s.line.usage = appendMember(s.line.usage, key, value)
	}
}
