package prices

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// frames reads a binary event stream. A document is held until the checksum of its message was right.
type frames struct {
	events *eventstream.Events
	held   bytes.Buffer
}

// Write reads the next piece of a response of Bedrock whose content type is application/vnd.amazon.eventstream, of any size. It takes
// all of p and returns an error only if s was not made with [NewStream], or for no form, so that a Stream can be beside a program's own reader in an
// [io.TeeReader]: what is wrong with the stream is an error of [Stream.Response]. It holds one message, which has at most 16 MiB and
// 8 KiB of headers. What is in a message counts only after both of its checksums were verified.
func (s *Stream) Write(p []byte) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	if s.frames == nil {
		f := &frames{}
		f.events = eventstream.NewEvents(f.held.Reset, func(piece []byte) { f.held.Write(piece) }, func() {
			if doc, ok := s.reader.Parse(f.held.Bytes()); ok {
				s.reader.Event(doc)
			}
		})
		s.frames = f
	}
	s.frames.events.Write(p)
	var ended *eventstream.ExceptionError
	if errors.As(s.frames.events.Err(), &ended) {
		s.reader.Fail()
	}
	return len(p), nil
}

// err returns why the stream cannot be read. An exception is an end that a stream may have.
func (f *frames) err() error {
	if f == nil {
		return nil
	}
	var ended *eventstream.ExceptionError
	err := f.events.Err()
	if errors.As(err, &ended) {
		return nil
	}
	return err
}

// binary reports whether data begins as a message of an event stream does: with the length, whose first byte is 0 or 1. JSON never does.
func binary(data []byte) bool { return len(data) > 0 && data[0] <= 1 }

func parseEventStream(provider models.Provider, body []byte) (Response, error) {
	s := NewStream(provider)
	if _, err := s.Write(body); err != nil {
		return Response{}, err
	}
	var ended *eventstream.ExceptionError
	if err := s.frames.events.Close(); err != nil && !errors.As(err, &ended) {
		return Response{}, invalid("body", "", "must be an event stream: "+err.Error())
	}
	return s.Response()
}

// chunkOf returns the document in the payload of a chunk of InvokeModel, or data itself.
func chunkOf(data []byte) []byte {
	if !bytes.Contains(data, []byte(`"bytes"`)) {
		return data
	}
	var chunk struct {
		Bytes []byte `json:"bytes"`
	}
	if json.Unmarshal(data, &chunk) != nil || len(chunk.Bytes) == 0 {
		return data
	}
	return chunk.Bytes
}
