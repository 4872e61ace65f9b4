package client

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// window is the newest of the selected messages, over the polls of a watcher.
type window struct {
	selected FetchOptions
	limit    int // of the next poll; lower than WatchOptions.Limit after a response that was too large or too slow
	seen     *seenMessages
	newest   messageKey // of the messages that were yielded
	listed   time.Time  // when all messages were last listed, and not only newer ones
	full     int        // the number of polls in a row that were full
	reported bool       // the window has been reported as blocked
}

// sift returns the messages of a response that belong into the window. The rows of other nodes and those beyond the limit are an
// error: a gateway that ignores the parameters of a request must not fill the memory with messages. A message that is not selected is
// dropped without an error, since older gateways ignore those parameters.
func (w *window) sift(c *MeshClient, rows []MeshMessage) ([]MeshMessage, error) {
	var faults []string
	if excess := len(rows) - w.limit; excess > 0 {
		faults = append(faults, fmt.Sprintf("it has %d messages more than the %d requested", excess, w.limit))
		rows = slices.Clone(rows[:w.limit]) // frees the others
	}
	foreign := 0
	rows = slices.DeleteFunc(rows, func(m MeshMessage) bool {
		if m.ToNode != c.node {
			foreign++
			return true
		}
		return !c.selects(w.selected, m)
	})
	if foreign > 0 {
		faults = append(faults, fmt.Sprintf("it has %d messages of other nodes", foreign))
	}
	if faults == nil {
		return rows, nil
	}
	return rows, pollError("the response is not what was requested: %s; they are dropped", strings.Join(faults, ", and "))
}

// pollError returns the error of a poll whose response is complete.
func pollError(format string, args ...any) error {
	return opListMessages.fails(fmt.Errorf(format, args...))
}

// unseen returns the messages that have not been yielded, the oldest first.
func (w *window) unseen(rows []MeshMessage) []MeshMessage {
	rows = slices.DeleteFunc(rows, w.seen.has)
	slices.SortFunc(rows, func(a, b MeshMessage) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), strings.Compare(a.CreatedAt, b.CreatedAt))
	})
	return slices.CompactFunc(rows, func(a, b MeshMessage) bool { return keyOf(a) == keyOf(b) })
}

// placeholders returns messages by which a window remembers the rows that cannot be decoded. No message has their CreatedAt.
func placeholders(invalid []*RowError) []MeshMessage {
	rows := make([]MeshMessage, len(invalid))
	for i, row := range invalid {
		rows[i] = MeshMessage{ID: row.ID, CreatedAt: row.Error()}
	}
	return rows
}

// unreported returns the errors that the window does not remember, and remembers them.
func (w *window) unreported(invalid []*RowError) (fresh []*RowError) {
	for i, row := range placeholders(invalid) {
		if !w.seen.has(row) {
			w.seen.add(row)
			fresh = append(fresh, invalid[i])
		}
	}
	return fresh
}

// blockedAfter is the number of full polls in a row, the last one without a new message, that is reported as an error.
const blockedAfter = 3

// checkFull returns an error, once, when a poll of n messages is full and no other message can be yielded: all are the node's
// own, or none is new. hurried means that there was no time to mark the messages.
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

// growAfter is the number of full polls after which a poll requests more messages again.
const growAfter = 8

// grow raises the limit after a response that was too large or too slow.
func (w *window) grow(highest int) {
	if w.full%growAfter == 0 { // also if the last poll was not full
		w.limit = min(2*w.limit, highest)
	}
}
