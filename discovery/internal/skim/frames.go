package skim

import (
	"bytes"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// content are the fields of an event that has nothing else, as nearly all are. They are not parsed.
const content = 1<<response.None | 1<<response.Kind | 1<<response.ItemType

// newFrames returns what gives each document in a binary event stream to each, which is valid until each returns. One counts only if
// the checksum of its message is right.
func newFrames(s *Skimmer, each func(document []byte)) *eventstream.Events {
	var document []byte // until the checksum
	s.each = func(d []byte) {
		if s.fields&^content != 0 || bytes.Contains(d, []byte("error")) {
			document = d
		}
	}
	return eventstream.NewEvents(
		func() { s.Reset(); document = nil },
		s.Write,
		func() {
			if document != nil {
				each(document)
			}
		},
	)
}
