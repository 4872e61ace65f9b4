package client

import "maps"

// seenMessages tracks the messages already yielded until they leave the inbox. Its size is bounded.
type seenMessages struct {
	shown map[messageKey]shown
	// latest counts the windows: all of them, and the complete ones.
	latest shown
	// largest is the largest number of rows of a window so far.
	largest int
}

// shown is when a message was last shown, in numbers of windows.
type shown struct{ window, complete int }

// messageKey identifies a message. The id alone does not: a gateway with a new database counts from 1 again.
type messageKey struct {
	id        int64
	createdAt string
}

func keyOf(m MeshMessage) messageKey { return messageKey{m.ID, m.CreatedAt} }

const (
	// forgetAfter is the number of complete windows in a row without a message after which it is forgotten. A message that was
	// marked read never becomes unread again, so 1 would do if gateways made no mistakes.
	forgetAfter = 3
	// maxSeen is the number of messages beyond which those that are not in the latest window are forgotten.
	maxSeen = 20_000
)

func (s *seenMessages) has(m MeshMessage) bool {
	_, ok := s.shown[keyOf(m)]
	return ok
}

func (s *seenMessages) add(m MeshMessage) {
	if len(s.shown) >= maxSeen {
		maps.DeleteFunc(s.shown, func(_ messageKey, last shown) bool { return last.window < s.latest.window })
	}
	s.shown[keyOf(m)] = s.latest
}

// observe forgets the messages that have left the inbox. A message is missing from a complete window only if it has left.
// complete means that the window has room for more; a window with as many rows as any before may still be cut by a limit of the
// gateway.
func (s *seenMessages) observe(rows []MeshMessage, complete bool) {
	s.largest = max(s.largest, len(rows))
	s.latest.window++
	if complete && len(rows) < s.largest {
		s.latest.complete++
	}
	for _, row := range rows {
		if s.has(row) {
			s.shown[keyOf(row)] = s.latest
		}
	}
	maps.DeleteFunc(s.shown, func(_ messageKey, last shown) bool { return s.latest.complete-last.complete >= forgetAfter })
}
