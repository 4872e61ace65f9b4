package eventstream

import (
	"errors"
	"strings"
)

// Events reads the JSON documents in the messages of a stream of Bedrock: the event of Converse that a message is, or what is encoded in
// a chunk of InvokeModel. Make one with [NewEvents].
type Events struct {
	Reader

	begun, ended func()
	data         func(piece []byte)

	chunk chunk
	// name is the name of the exception or error that the message is.
	name   string
	buffer [decodedBlock]byte
}

// ExceptionError is the error of a stream that Bedrock ended with an exception or an error.
type ExceptionError struct{ Name string }

func (e *ExceptionError) Error() string { return "the stream ended with the exception " + e.Name }

// NewEvents returns an Events that calls, during Write, begin before each document, data for each piece of it, which is valid until data
// returns, and end when the document is whole and the checksum of its message was right. An exception of Bedrock becomes the error of the
// stream, an *[ExceptionError].
func NewEvents(begin func(), data func(piece []byte), end func()) *Events {
	e := &Events{begun: begin, data: data, ended: end}
	e.Reader = Reader{Begin: e.begin, Payload: e.payload, End: e.end}
	return e
}

func (e *Events) begin(h Headers) {
	e.name, e.chunk = "", chunk{data: e.data, buffer: e.buffer[:], key: e.chunk.key[:0], pending: e.chunk.pending[:0], encoded: h.EventType == "chunk"}
	switch {
	case h.MessageType == "exception":
		e.name = shown(h.ExceptionType)
	case h.MessageType == "error":
		e.name = shown(h.ErrorCode)
	}
	if e.name == "" {
		e.begun()
	}
}

func (e *Events) payload(piece []byte) {
	switch {
	case e.name != "":
	case e.chunk.encoded:
		e.chunk.write(piece)
	default:
		e.data(piece)
	}
}

func (e *Events) end() {
	switch {
	case e.name != "":
		e.err = &ExceptionError{e.name}
	case e.chunk.failed:
		e.err = errChunk
	default:
		e.ended()
	}
}

var errChunk = errors.New("a chunk of the event stream is not base64 in JSON")

// shown returns the name of an exception, or "unknown" for a text that no exception has as its name.
func shown(name string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	if name == "" || len(name) > 64 || strings.Trim(name, letters) != "" {
		return "unknown"
	}
	return name
}
