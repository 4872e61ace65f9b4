package prices

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/skim"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// Write reads the next piece of the body of a stream, of any size, so that a Stream can be beside a program's own reader in an
// [io.TeeReader], or the destination of [io.Copy]: server-sent events, objects in lines or in an array, or the binary event stream of
// Bedrock (application/vnd.amazon.eventstream), as the first byte shows. What follows the final usage is not read. It takes all of p and
// returns an error only if s was not made with [NewStream], or for no form: what is wrong with the stream is an error of
// [Stream.Response]. What is in a message of Bedrock counts only after both of its checksums were verified. A stream is read by Write or by
// [Stream.Event].
func (s *Stream) Write(p []byte) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	if s.body == nil && len(p) > 0 {
		s.body = skim.NewBody(s.reader, mediaType(p), true)
	}
	if s.body != nil {
		s.body.Write(p)
	}
	return len(p), nil
}

// mediaType returns the media type of a stream that begins with data; "" for an array.
func mediaType(data []byte) string {
	switch {
	case binary(data):
		return skim.Frames
	case data[0] == '{':
		return skim.Lines
	case data[0] == '[':
		return ""
	}
	return skim.Events
}

// broken returns why the stream cannot be read. An exception is an end that a stream may have.
func broken(err error) error {
	var ended *eventstream.ExceptionError
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
	if err := broken(s.body.Close()); err != nil {
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
