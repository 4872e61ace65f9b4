package calls

import (
	"time"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// beginOpencode reads a file of opencode, which is a message. The input excludes what was read from caches and written to them; reasoning
// is beside the output.
func beginOpencode(s *session) {
	l := &s.line
	n := &l.counts
	tokens := n.fields("input", "output", "", "", "reasoning")
	tokens["cache"] = sessionFields{"read": &n[2], "write": &n[3]}
	s.api = []byte(`"anthropic"`)
	s.fields = sessionFields{
		"id": &l.id, "sessionID": &l.session, "role": &l.kind, "providerID": &l.provider, "modelID": &l.model,
		"path": sessionFields{"cwd": &l.cwd}, "tokens": tokens,
		"time": sessionFields{"created": func() {
			if at := s.count(); at > 0 {
				l.time = time.UnixMilli(at).UTC().AppendFormat(nil, `"`+time.RFC3339Nano+`"`)
			}
		}},
		"error": func() {
			l.failed = s.Next() == jsonread.Object
			s.value()
		},
	}
	s.take = func() {
		if string(l.kind) == `"assistant"` && !l.failed {
			n[1] += n[4]
			s.setProvider(l.provider)
			s.setLabels(l.cwd, l.session)
			s.addCounts("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
		}
	}
}
