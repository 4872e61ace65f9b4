package calls

import (
	"fmt"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// opencodeMessage is a file of opencode. The input excludes what was read from caches and written to them; reasoning is beside the output.
type opencodeMessage struct {
	id, session, role, provider, model, cwd            string
	created, input, output, reasoning, cached, written int64
	failed                                             bool
}

func opencodeLines(s *session) func() {
	var m opencodeMessage
	fields := sessionFields{
		"id": &m.id, "sessionID": &m.session, "role": &m.role, "providerID": &m.provider, "modelID": &m.model,
		"path": sessionFields{"cwd": &m.cwd}, "time": sessionFields{"created": &m.created},
		"tokens": sessionFields{
			"input": &m.input, "output": &m.output, "reasoning": &m.reasoning, "cache": sessionFields{"read": &m.cached, "write": &m.written},
		},
		"error": func() {
			m.failed = s.Next() == jsonread.Object
			s.skip()
		},
	}
	return func() {
		m = opencodeMessage{}
		s.object(fields)
		if s.wrong != nil || m.role != "assistant" || m.failed || m.input+m.output+m.reasoning+m.cached+m.written == 0 {
			return
		}
		at := ""
		if m.created > 0 {
			at = time.UnixMilli(m.created).UTC().Format(time.RFC3339Nano)
		}
		s.add(Record{
			ID: m.id, Provider: models.Provider(m.provider), Model: m.model, API: "anthropic",
			Usage: fmt.Appendf(nil, `{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d}`,
				m.input, m.written, m.cached, m.output+m.reasoning),
			Labels: s.labelsOf(m.cwd, m.session),
		}, at, false)
	}
}
