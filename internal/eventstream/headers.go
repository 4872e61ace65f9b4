package eventstream

import "encoding/binary"

// The types of the values of headers.
const (
	typeTrue byte = iota
	typeFalse
	typeByte
	typeShort
	typeInteger
	typeLong
	typeBytes
	typeString
	typeTimestamp
	typeUUID
)

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

// known returns a value as a string. Those of nearly all messages take no memory.
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
	switch kind {
	case typeTrue, typeFalse:
		return nil, text, true
	case typeByte:
		return cut(text, 1)
	case typeShort:
		return cut(text, 2)
	case typeInteger:
		return cut(text, 4)
	case typeLong, typeTimestamp:
		return cut(text, 8)
	case typeUUID:
		return cut(text, 16)
	case typeBytes, typeString:
		length, rest, ok := cut(text, 2)
		if !ok {
			return nil, nil, false
		}
		return cut(rest, int(binary.BigEndian.Uint16(length)))
	}
	return nil, nil, false
}

// cut splits text after n bytes.
func cut(text []byte, n int) (before, after []byte, ok bool) {
	if len(text) < n {
		return nil, nil, false
	}
	return text[:n], text[n:], true
}
