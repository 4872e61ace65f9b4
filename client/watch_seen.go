package client

import "container/list"

// seenMessages tracks the messages already yielded until they leave the inbox. Its size is bounded.
type seenMessages struct {
	entries map[messageKey]*list.Element
	// recent lists the entries, the one shown by the latest window first.
	recent list.List
	// complete counts the complete windows.
	complete int
	// largest is the largest number of rows of a window so far.
	largest int
}

// messageKey identifies a message. The id alone does not: a gateway with a new database counts from 1 again.
type messageKey struct {
	id        int64
	createdAt string
}

func keyOf(m MeshMessage) messageKey { return messageKey{m.ID, m.CreatedAt} }

// seenMessage is the value of an element of seenMessages.recent.
type seenMessage struct {
	key   messageKey
	shown int // the number of complete windows when it was last shown
}

const (
	// forgetAfter is the number of complete windows in a row without a message after which it is forgotten. A message that was
	// marked read never becomes unread again, so 1 would do if gateways made no mistakes.
	forgetAfter = 3
	// maxSeen is the maximum number of messages; those that were not shown for the longest time are forgotten first.
	maxSeen = 20_000
)

func newSeenMessages() *seenMessages {
	return &seenMessages{entries: make(map[messageKey]*list.Element)}
}

func (s *seenMessages) has(m MeshMessage) bool {
	_, ok := s.entries[keyOf(m)]
	return ok
}

func (s *seenMessages) add(m MeshMessage) {
	s.entries[keyOf(m)] = s.recent.PushFront(&seenMessage{key: keyOf(m), shown: s.complete})
	s.forget()
}

// observe forgets the messages that have left the inbox. A message is missing from a complete window only if it has left.
// complete means that the window has room for more; a window with as many rows as any before may still be cut by a limit of the
// gateway.
func (s *seenMessages) observe(rows []MeshMessage, complete bool) {
	s.largest = max(s.largest, len(rows))
	if complete && len(rows) < s.largest {
		s.complete++
	}
	for _, row := range rows {
		if e, ok := s.entries[keyOf(row)]; ok {
			e.Value.(*seenMessage).shown = s.complete
			s.recent.MoveToFront(e)
		}
	}
	s.forget()
}

// forget removes the entries at the end of the list that have left the inbox or exceed maxSeen.
func (s *seenMessages) forget() {
	for last := s.recent.Back(); last != nil; last = s.recent.Back() {
		m := last.Value.(*seenMessage)
		if s.complete-m.shown < forgetAfter && s.recent.Len() <= maxSeen {
			return
		}
		s.recent.Remove(last)
		delete(s.entries, m.key)
	}
}
