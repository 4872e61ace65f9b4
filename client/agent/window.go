package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
)

// window tracks the newest selected messages from poll to poll.
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

// sift drops rows that weren't requested. It reports rows beyond the limit or to other
// nodes as an error: a gateway that ignores those parameters must not fill our memory. It
// drops other rows silently, because older gateways ignore the other parameters.
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

// unseen returns messages not yet yielded, oldest first.
func (w *window) unseen(rows []message) []message {
	rows = slices.DeleteFunc(rows, w.seen.has)
	slices.SortFunc(rows, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.CreatedAt, b.CreatedAt))
	})
	return slices.CompactFunc(rows, func(a, b message) bool { return keyOf(a) == keyOf(b) })
}

// placeholder lets a window remember an invalid row. No real message has such a
// CreatedAt.
func placeholder(row *client.RowError) message {
	return message{ID: row.ID, CreatedAt: row.Error()}
}

// blockedAfter is the number of full polls in a row after which one without a new message
// is an error.
const blockedAfter = 3

// checkFull returns an error, once, if full polls hide all other messages: every message
// is the node's own, or none is new after blockedAfter full polls. hurried means that
// there was no time to mark messages read.
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

const growAfter = 8

// grow doubles a lowered limit after each poll that wasn't full, and after every
// growAfter full ones.
func (w *window) grow(highest int) {
	if w.full%growAfter == 0 { // also if the last poll was not full
		w.limit = min(2*w.limit, highest)
	}
}

// seenMessages tracks yielded messages until they leave the inbox, about maxSeen at most.
type seenMessages struct {
	shown map[messageKey]shown
	// latest counts windows so far.
	latest shown
	// largest is the row count in the largest window so far.
	largest int
}

// shown counts all windows, and the complete ones, up to the last that had a message.
type shown struct{ window, complete int }

// messageKey identifies a message. The id alone does not: a gateway with a new database
// counts from 1 again.
type messageKey struct {
	id        int64
	createdAt string
}

func keyOf(m message) messageKey { return messageKey{m.ID, m.CreatedAt} }

const (
	// forgetAfter is the number of complete windows after which a missing message is
	// forgotten. Read messages never become unread again, so 1 would do if gateways made no
	// mistakes.
	forgetAfter = 3
	// maxSeen is the number of messages from which we keep only those in the latest window.
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

// observe forgets messages that have left the inbox: those missing from complete windows.
// complete means that the window had room for more. We don't trust that if the window is
// the largest so far, because the gateway may have its own limit.
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
