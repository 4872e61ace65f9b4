package eventstream

import (
	"encoding/binary"
	"errors"
	"strings"
)

// Events reads the JSON documents in a Bedrock stream: Converse events, and the decoded
// chunks from InvokeModel. Make one with [NewEvents].
type Events struct {
	Reader

	begun, ended func()
	data         func(piece []byte)

	chunk chunk
	// name of the exception or error, or ""
	name   string
	buffer [decodedBlock]byte
}

// ExceptionError is returned if Bedrock ended the stream with an exception or error.
type ExceptionError struct{ Name string }

func (e *ExceptionError) Error() string { return "the stream ended with the exception " + e.Name }

// NewEvents returns an Events that calls begin, data and end during Write: begin before
// each document, data for each piece, and end once its message's checksum was verified. A
// piece is valid until data returns.
//
// If Bedrock sends an exception, the stream's error is an *[ExceptionError].
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

var errChunk = errors.New("an event stream chunk is not base64 in JSON")

// shown returns "unknown" if name doesn't look like an exception name.
func shown(name string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	if name == "" || len(name) > 64 || strings.Trim(name, letters) != "" {
		return "unknown"
	}
	return name
}

const (
	typeString = 7
	// prefixed means that the value starts with its length (2 bytes).
	prefixed = -1
)

// lengths maps header value types to value lengths.
var lengths = [...]int{
	0, 0, // true and false
	1, 2, 4, 8, // integers
	prefixed,   // bytes
	typeString: prefixed,
	8,          // a timestamp
	16,         // a UUID
}

// parse reads headers. Each has a name length (1 byte), the name, a value type,
// and a value.
func parse(text []byte) (h Headers, ok bool) {
	for len(text) > 0 {
		name, rest, ok := cut(text[1:], int(text[0]))
		if !ok || len(rest) == 0 {
			return Headers{}, false
		}
		kind := rest[0]
		var value []byte
		if value, text, ok = cutValue(kind, rest[1:]); !ok {
			return Headers{}, false
		}
		if field := h.field(string(name)); field != nil {
			*field = "" // the last duplicate counts
			if kind == typeString {
				*field = known(value)
			}
		}
	}
	return h, true
}

// known saves the allocation for frequent values.
func known(value []byte) string {
	for _, name := range [...]string{"event", "chunk", "contentBlockDelta"} {
		if string(value) == name {
			return name
		}
	}
	return string(value)
}

func (h *Headers) field(name string) *string {
	switch name {
	case ":message-type":
		return &h.MessageType
	case ":event-type":
		return &h.EventType
	case ":exception-type":
		return &h.ExceptionType
	case ":error-code":
		return &h.ErrorCode
	}
	return nil
}

// cutValue splits text after its first value.
func cutValue(kind byte, text []byte) (value, rest []byte, ok bool) {
	if int(kind) >= len(lengths) {
		return nil, nil, false
	}
	n := lengths[kind]
	if n == prefixed {
		length, after, ok := cut(text, 2)
		if !ok {
			return nil, nil, false
		}
		n, text = int(binary.BigEndian.Uint16(length)), after
	}
	return cut(text, n)
}

func cut(text []byte, n int) (before, after []byte, ok bool) {
	if len(text) < n {
		return nil, nil, false
	}
	return text[:n], text[n:], true
}
