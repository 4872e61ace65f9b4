package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
)

// window is the newest of the selected messages, over the polls of a watcher.
type window struct {
	selected query
	selects  func(query, message) bool
	limit    int // for the next poll; lower than WatchOptions.Limit after a response that was too large or too slow
	seen     seenMessages
	newest   messageKey // among those that were yielded
	listed   time.Time  // when all messages were last listed, and not only newer ones
	full     int        // full polls in a row
	reported bool       // the window has been reported as blocked
}

// sift returns the response's messages that belong into the window. Rows to other nodes
// and rows beyond the limit are an error: a gateway that ignores request parameters must
// not fill the memory with messages. A message that is not selected is dropped without an
// error, since older gateways ignore those parameters.
func (w *window) sift(rows []message) ([]message, error) {
	excess, foreign := max(0, len(rows)-w.limit), 0
	if excess > 0 {
		rows = slices.Clone(rows[:w.limit]) // frees the others
	}
	rows = slices.DeleteFunc(rows, func(m message) bool {
		if m.ToNode != w.selected.ToNode {
			foreign++
			return true
		}
		return !w.selects(w.selected, m)
	})
	if excess+foreign == 0 {
		return rows, nil
	}
	return rows, pollError("the response is not what was requested: %d messages exceed the limit of %d, and %d are to other nodes; they are dropped",
		excess, w.limit, foreign)
}

func pollError(format string, args ...any) error {
	return incorrect("GET", fmt.Errorf(format, args...))
}

// unseen returns the messages that have not been yielded, the oldest first.
func (w *window) unseen(rows []message) []message {
	rows = slices.DeleteFunc(rows, w.seen.has)
	slices.SortFunc(rows, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.CreatedAt, b.CreatedAt))
	})
	return slices.CompactFunc(rows, func(a, b message) bool { return keyOf(a) == keyOf(b) })
}

// placeholder is how a window remembers an invalid row. No message has its CreatedAt.
func placeholder(row *client.RowError) message {
	return message{ID: row.ID, CreatedAt: row.Error()}
}

// blockedAfter is the number of full polls in a row, the last one without a new message,
// that is reported as an error.
const blockedAfter = 3

// checkFull returns an error, once, when a poll of n messages is full and no other
// message can be yielded: all are the node's own, or none is new. hurried means that
// there was no time to mark the messages.
func (w *window) checkFull(n, own, unseen int, hurried bool) error {
	if n < w.limit {
		w.full, w.reported = 0, false
		return nil
	}
	w.full++
	if w.reported || own < n && (w.full < blockedAfter || unseen > 0 || hurried) {
		return nil
	}
	w.reported = true
	sender := ""
	if own > 0 {
		sender = fmt.Sprintf(" (%d were sent by this node)", own)
	}
	return pollError("the poll is full: it has %d unread messages, which hide older ones%s; mark messages read", n, sender)
}

// After growAfter full polls the next one requests more messages again.
const growAfter = 8

// grow raises the limit after a response that was too large or too slow.
func (w *window) grow(highest int) {
	if w.full%growAfter == 0 { // also if the last poll was not full
		w.limit = min(2*w.limit, highest)
	}
}

// seenMessages tracks the messages already yielded until they leave the inbox. Its size
// is bounded.
type seenMessages struct {
	shown map[messageKey]shown
	// latest counts the windows: all of them, and the complete ones.
	latest shown
	// largest is the most rows in a window so far.
	largest int
}

// shown counts the windows until a message was last shown.
type shown struct{ window, complete int }

// messageKey identifies a message. The id alone does not: a gateway with a new database
// counts from 1 again.
type messageKey struct {
	id        int64
	createdAt string
}

func keyOf(m message) messageKey { return messageKey{m.ID, m.CreatedAt} }

const (
	// forgetAfter is the number of complete windows in a row without a message after which
	// it is forgotten. A message that was marked read never becomes unread again, so 1 would
	// do if gateways made no mistakes.
	forgetAfter = 3
	// maxSeen is the number of messages beyond which those that are not in the latest window
	// are forgotten.
	maxSeen = 20_000
)

func (s *seenMessages) has(m message) bool {
	_, ok := s.shown[keyOf(m)]
	return ok
}

func (s *seenMessages) add(m message) {
	if len(s.shown) >= maxSeen {
		maps.DeleteFunc(s.shown, func(_ messageKey, last shown) bool { return last.window < s.latest.window })
	}
	s.shown[keyOf(m)] = s.latest
}

// observe forgets the messages that have left the inbox. A message is missing from a
// complete window only if it has left. complete means that the window has room for more;
// a window with as many rows as any before may still be cut by a limit of the gateway.
func (s *seenMessages) observe(rows []message, complete bool) {
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
