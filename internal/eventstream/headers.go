package eventstream

import "encoding/binary"

const (
	// typeString is the number of the type of a string.
	typeString = 7
	// prefixed is the length of a value that begins with its length (2 bytes).
	prefixed = -1
)

// lengths are those of the values of headers, by the number of their type.
var lengths = [...]int{
	0, 0, // true and false
	1, 2, 4, 8, // integers
	prefixed,   // bytes
	typeString: prefixed,
	8,          // a timestamp
	16,         // a UUID
}

// parse reads headers: for each the length of its name (1 byte), the name, the type of its value and the value. It reports whether
// they are well-formed.
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
			*field = "" // of several with a name, the last one counts
			if kind == typeString {
				*field = known(value)
			}
		}
	}
	return h, true
}

// known returns a value as a string. The values of nearly all messages take no memory.
func known(value []byte) string {
	for _, name := range [...]string{"event", "chunk", "contentBlockDelta"} {
		if string(value) == name {
			return name
		}
	}
	return string(value)
}

// field returns the field of a name, or nil.
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

// cutValue returns the value of a type at the beginning of text, and the text after it.
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

// cut splits text after n bytes.
func cut(text []byte, n int) (before, after []byte, ok bool) {
	if len(text) < n {
		return nil, nil, false
	}
	return text[:n], text[n:], true
}
