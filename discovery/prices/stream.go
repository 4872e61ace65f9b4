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

// Stream reads a streamed response. Pass the data of each event to Event, in order, and take the Response at the end:
//
//	stream := prices.NewStream(models.Anthropic)
//	for events.Next() {
//		err := stream.Event(events.Data())
//	}
//	response, err := stream.Response()
//
// Or write the body to it, in pieces of any size: see [Stream.Write].
//
// A Stream is not safe for concurrent use.
type Stream struct {
	reader *response.Reader
	err    error
	body   *skim.Body // of Write
}

// NewStream returns a Stream for a response of a provider, or of another form such as [FormConverse]. For any other name, the methods of the
// Stream return a [*ValueError].
func NewStream(provider models.Provider) *Stream {
	form, err := formOf(provider)
	return &Stream{reader: response.New(form), err: err}
}

// Event reads the data of one server-sent event: the text of its data lines, without "data:", joined with "\n". For a response
// of Gemini that is one JSON array, it is an element of the array; of Ollama, a line; of Bedrock, the payload of a message, or one or
// more whole messages. Events without counts are ignored, as is empty data. After "[DONE]" and after the final usage, only an error still
// matters. Stream keeps nothing of data.
//
// The error is a [*ValueError] if the data is no JSON object; the stream goes on without it.
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

// Response returns the response as it is after the events so far. It is Complete once the provider has sent the final usage:
// OpenAI, DeepSeek and xAI in the last chunk of chat completions (OpenAI only if the request has stream_options.include_usage),
// and in response.completed, response.incomplete or response.failed; Anthropic in the message_delta with the stop reason, merged
// with message_start; Gemini beside the finish reason, or in interaction.completed; Converse in the event metadata; InvokeModel as the
// model's provider, or in Bedrock's metrics in the last chunk. After an error event, or an exception of Bedrock, it is never Complete.
// The error is a [*ValueError] if the final usage object is invalid, or if the names, the usage and the searches of the response take more
// than 48 KiB; the Response then has no usage.
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
