package skim

import (
	"bytes"
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// frames skims the documents in a binary event stream. One counts only if the checksum of its message is right.
type frames struct {
	skimmer  Skimmer
	events   *eventstream.Events
	document []byte // until the checksum
}

// content are the fields of an event that has nothing else, as nearly all are. They are not parsed.
const content = 1<<response.None | 1<<response.Kind | 1<<response.ItemType

// newFrames returns a frames that gives each document to each, which is valid until each returns.
func newFrames(skim Skimmer, each func(document []byte)) *frames {
	f := &frames{skimmer: skim}
	f.skimmer.each = func(document []byte) {
		if f.skimmer.fields&^content != 0 || bytes.Contains(document, []byte("error")) {
			f.document = document
		}
	}
	f.events = eventstream.NewEvents(
		func() { f.skimmer.Reset(); f.document = nil },
		f.skimmer.Write,
		func() {
			if f.document != nil {
				each(f.document)
			}
		},
	)
	return f
}

// Write takes the next piece of the stream. The error is the reason why the rest of it cannot be read.
func (f *frames) Write(p []byte) error {
	f.events.Write(p)
	if errors.Is(f.skimmer.err, errTooLarge) {
		return errTooLarge
	}
	return f.events.Err()
}
