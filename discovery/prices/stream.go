package prices

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/discovery/internal/skim"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// Stream reads a streamed response. Pass each event's data to Event, in order, and take
// the Response at the end:
//
//	stream := prices.NewStream(models.Anthropic)
//	for events.Next() {
//		err := stream.Event(events.Data())
//	}
//	response, err := stream.Response()
//
// Or write the body to it in pieces; see [Stream.Write].
//
// A Stream is not safe for concurrent use.
type Stream struct {
	reader *response.Reader
	err    error
	body   *skim.Body // used by Write
}

// NewStream returns a Stream for a provider's responses, or for another form such as
// [FormConverse]. For any other name, the Stream's methods return a [*ValueError].
func NewStream(provider models.Provider) *Stream {
	form, err := formOf(provider)
	return &Stream{reader: response.New(form), err: err}
}

// Event reads one server-sent event: its data lines joined with "\n", without "data:".
// It ignores events without counts and empty data. After "[DONE]" and the final usage,
// only an error still matters. Event keeps no reference to data.
//
// The error is a [*ValueError] if data isn't a JSON object. You can still pass later
// events.
//
// For a body that isn't server-sent events, data is:
//   - Gemini as a JSON array: one element
//   - Ollama: one line
//   - Bedrock: a message's payload, or one or more whole messages
func (s *Stream) Event(data []byte) error {
	if err := s.check(); err != nil {
		return err
	}
	switch {
	case response.IsEnd(data):
		s.reader.End()
		return nil
	case len(bytes.TrimSpace(data)) == 0:
		return nil
	case binary(data):
		_, err := s.Write(data)
		return err
	}
	doc, ok := s.reader.Parse(chunkOf(data))
	if !ok {
		return invalid("data", "", "must be a JSON object")
	}
	s.reader.Event(doc)
	return nil
}

// Response returns the response as it is after the events so far. It's Complete once
// the provider has sent the final usage, and never after an error event or a Bedrock
// exception.
//
// The error is a [*ValueError] if the final usage object is invalid, or if the
// response's names, usage and searches exceed 48 KiB. The Response then has no usage.
//
// # Final usage
//
//   - OpenAI, DeepSeek and xAI: the last chat completions chunk (for OpenAI only if the
//     request has stream_options.include_usage), or response.completed,
//     response.incomplete or response.failed
//   - Anthropic: the message_delta with the stop reason, merged with message_start
//   - Gemini: with the finish reason, or in interaction.completed
//   - Converse: the event metadata
//   - InvokeModel: as the model's provider, or Bedrock's metrics in the last chunk
func (s *Stream) Response() (Response, error) {
	if err := s.check(); err != nil {
		return Response{}, err
	}
	if s.body == nil {
		return resultOf(s.reader)
	}
	s.body.Flush()
	read, err := resultOf(s.reader)
	if failed := broken(s.body.Err()); err == nil && failed != nil {
		read.Complete, err = false, invalid("data", "", failed.Error())
	}
	return read, err
}

func (s *Stream) check() error {
	if s == nil || s.reader == nil {
		return invalid("Stream", "", "must be made with NewStream")
	}
	return s.err
}

// Write reads the stream's next piece, at any size. Use s as the destination in
// [io.Copy], or in an [io.TeeReader] next to your own reader:
//
//	stream := prices.NewStream(models.OpenAI)
//	yours := io.TeeReader(res.Body, stream)
//
// Use either Write or [Stream.Event], not both. The first byte selects the format:
// server-sent events, JSON objects in lines or in an array, or Bedrock's binary event
// stream (application/vnd.amazon.eventstream). A Bedrock message counts only after both
// of its checksums were verified. Nothing is read after the final usage.
//
// Write takes all of p. It returns an error only if s was not made with [NewStream], or
// with an unknown form. Errors in the stream itself come from [Stream.Response].
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

// mediaType returns "" for an array.
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

// broken returns nil for a Bedrock exception, because an intact stream may end with one.
func broken(err error) error {
	var ended *eventstream.ExceptionError
	if errors.As(err, &ended) {
		return nil
	}
	return err
}

// binary recognizes event stream messages by their length, whose first byte is 0 or 1.
// JSON never begins like that.
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

// chunkOf unwraps an InvokeModel chunk, and returns any other data unchanged.
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
