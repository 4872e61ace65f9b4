package soak_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
)

// ledger follows every message until Send has returned and the message is read. If that
// message arrives again, the ledger has no entry for it.
type ledger struct {
	mu       sync.Mutex
	open     map[string]*entry // unique task id -> entry
	replaced []time.Time       // when each database ended
	// lateMarks has ids that were marked after their database was replaced, so the mark
	// may have hit a message in the next one. notFound has the last database's messages
	// for which MarkRead returned 404.
	lateMarks  map[int64]bool
	notFound   []messageID
	totals     totals
	violations map[string][]string // kind -> a few examples
}

type totals struct {
	// A message is accepted if Send returns a receipt, or an error with Delivered.
	// Otherwise the send has failed, but the message may have arrived.
	accepted, delivered, failed int
	// implausible counts failed sends with a 2xx response that isn't the gateway's.
	implausible            int
	arrived, failedArrived int
	// lost counts messages that were unread when their database was replaced, lostUnseen
	// those that also never arrived. stale counts messages that never arrived because a
	// MarkRead for the old database marked them.
	lost, lostUnseen, stale int
	read                    int
	// unmarked counts marks that Serve reported as failed, if their database still
	// existed.
	unmarked    int
	watchErrors int
}

type entry struct {
	from     string
	request  client.SendRequest
	accepted bool
	failed   bool
	receipt  messageID // zero if none
	copies   []arrival // at most one per database
	// lost is set if the message was unread when database lostFrom was replaced.
	lost     bool
	lostFrom int
	// spansReplacement is set if a database was replaced during Send. The message may be
	// stored in both.
	spansReplacement bool
	window           chan struct{} // has an element for this message; nil after release
}

type arrival struct {
	id   messageID
	read bool
}

func newLedger() *ledger {
	return &ledger{open: make(map[string]*entry), lateMarks: make(map[int64]bool), violations: make(map[string][]string)}
}

func (l *ledger) messageID(m client.MeshMessage) messageID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.identify(m)
}

func (l *ledger) identify(m client.MeshMessage) messageID {
	created, err := time.Parse(time.RFC3339Nano, m.CreatedAt)
	l.expect(err == nil, "a message without a time", "%d: %v", m.ID, err)
	later := func(ended time.Time) bool { return !ended.Before(created) }
	database := slices.IndexFunc(l.replaced, later)
	if database < 0 {
		database = len(l.replaced)
	}
	return messageID{database, m.ID}
}

func (l *ledger) databaseReplaced(r replacement) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replaced = append(l.replaced, r.At)
	for _, e := range l.open {
		e.spansReplacement = e.spansReplacement || !e.accepted && !e.failed
	}
	for _, task := range r.Lost {
		if e := l.open[task]; e != nil { // it may have been marked while the gateway stopped
			l.totals.lost++
			e.lost, e.lostFrom = true, len(l.replaced)-1
			e.release()
		}
	}
}

// isLost reports whether the message's database has been replaced.
func (l *ledger) isLost(m client.MeshMessage) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.identify(m).Database < len(l.replaced)
}

// markFailed records that Serve reported a mark, which it repeats unless it ends first.
func (l *ledger) markFailed(m client.MeshMessage) {
	if !l.isLost(m) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.totals.unmarked++
	}
}

// sendStarted opens an entry. The message keeps its element in window until it has
// failed, is read or is lost.
func (l *ledger) sendStarted(from string, request client.SendRequest, window chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[request.RelatedTaskID] = &entry{from: from, request: request, window: window}
}

// sendReturned records Send's result. X-Request-Id names the fault, so we know which
// error to expect.
func (l *ledger) sendReturned(task string, receipt *client.MeshMessage, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.open[task]
	failed := new(client.MeshGatewayError)
	errors.As(err, &failed)
	switch {
	case err == nil:
		e.accepted, e.receipt = true, l.identify(*receipt)
		l.totals.accepted++
	case failed.Delivered:
		e.accepted = true
		l.totals.accepted++
		l.totals.delivered++
	default:
		e.failed = true
		l.totals.failed++
		e.release()
	}
	l.expect(err == nil || errors.Is(err, client.ErrMesh), "an error is not a client error", "%s: %v", task, err)
	l.checkError(task, failed)
	l.settle(task, e)
}

// checkError checks Delivered, and Uncertain if the response isn't the gateway's.
func (l *ledger) checkError(task string, failed *client.MeshGatewayError) {
	posted := failed.Method == http.MethodPost // else the registry read failed
	if posted && failed.RequestID == notJSON.name {
		l.totals.implausible++
		l.expect(failed.Uncertain, "Uncertain is wrong", "%s: %v", task, failed)
	}
	unreadable := failed.RequestID == truncated.name || failed.RequestID == empty.name
	l.expect(failed.Delivered == (posted && unreadable), "Delivered is wrong", "%s: %v", task, failed)
}

// arrived records a message that Watch yielded or a Serve handler finished.
func (l *ledger) arrived(node string, m client.MeshMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, e := l.identify(m), l.open[taskID(m)]
	if e == nil {
		l.violation("arrived again after it was read, or was never sent", "%s: message %v, task %s", node, id, taskID(m))
		return
	}
	for _, c := range e.copies {
		l.expect(c.id != id, "a message was repeated", "%s: message %v, task %s", node, id, taskID(m))
		l.expect(c.id == id || e.spansReplacement && c.id.Database != id.Database, "a message was stored twice",
			"%s: messages %v and %v, task %s", node, c.id, id, taskID(m))
		if c.id == id {
			return
		}
	}
	e.copies = append(e.copies, arrival{id: id})
	l.totals.arrived++
	same := m.FromNode == e.from && m.ToNode == e.request.To && m.ToNode == node && m.Kind == e.request.Kind &&
		m.Content != nil && *m.Content == e.request.Content
	l.expect(same, "arrived with other content", "%s: %v %v", node, id, m.Kind)
	l.settle(taskID(m), e)
}

// checkOrder checks that Watch yields the oldest first.
func (l *ledger) checkOrder(node string, before, next messageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	inOrder := before.Database < next.Database || before.Database == next.Database && before.ID < next.ID
	l.expect(inOrder, "Watch was not in order", "%s: message %v came before %v", node, before, next)
}

// marked records MarkRead's result and reports whether it's final: a 404 is, but an
// outage isn't. A 404 is expected if an earlier call failed, because that may have marked
// the message.
func (l *ledger) marked(m client.MeshMessage, err error, again bool) (final bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, e := l.identify(m), l.open[taskID(m)]
	var failed *client.MeshGatewayError
	if errors.As(err, &failed) && failed.StatusCode != http.StatusNotFound {
		return false
	}
	if id.Database < len(l.replaced) {
		l.lateMarks[id.ID] = true
	} else if err != nil && !again {
		l.notFound = append(l.notFound, id)
	}
	if e != nil {
		l.markedRead(id, e)
		l.settle(taskID(m), e)
	}
	return true
}

func (l *ledger) markedRead(id messageID, e *entry) {
	for i := range e.copies {
		if c := &e.copies[i]; c.id == id && !c.read {
			c.read = true
			l.totals.read++
		}
	}
	e.release()
}

func (l *ledger) watchFailed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.totals.watchErrors++
	l.expect(errors.Is(err, client.ErrMesh), "an error is not a client error", "Watch: %v", err)
}

// entries counts incomplete messages.
func (l *ledger) entries() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)
}

// unseen returns messages without a receipt that haven't arrived, or perhaps from one
// database only. Failed sends are included.
func (l *ledger) unseen() (requests []client.SendRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.open {
		if e.receipt == (messageID{}) && (len(e.copies) == 0 || e.spansReplacement) {
			requests = append(requests, e.request)
		}
	}
	return requests
}

// found records that an unseen message is in the current database.
func (l *ledger) found(m client.MeshMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[taskID(m)].receipt = l.identify(m)
}

// close checks all entries that are still open. stale are messages that a MarkRead for an
// earlier database may have marked.
func (l *ledger) close(stale []messageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range l.notFound {
		l.expect(l.lateMarks[id.ID], "MarkRead failed with 404", "message %v", id)
	}
	for task, e := range l.open {
		l.closeUnseen(task, e, stale)
		for _, c := range e.copies {
			l.expect(c.read, "arrived and was never read", "task %s, message %v", task, c.id)
		}
		l.expect(e.accepted || e.failed, "Send never returned", "task %s", task)
	}
}

// closeUnseen accounts for copies that didn't arrive.
func (l *ledger) closeUnseen(task string, e *entry, stale []messageID) {
	arrivedFrom := func(database int) bool {
		return slices.ContainsFunc(e.copies, func(c arrival) bool { return c.id.Database == database })
	}
	if e.lost && !arrivedFrom(e.lostFrom) {
		l.totals.lostUnseen++
	}
	excused := e.lost && e.receipt.Database <= e.lostFrom
	if !arrivedFrom(e.receipt.Database) && slices.Contains(stale, e.receipt) {
		l.totals.stale++
		excused = true
	}
	l.expect(!e.accepted || len(e.copies) > 0 || excused, "accepted and never arrived", "task %s from %s to %s", task, e.from, e.request.To)
}

// settle compares a receipt with the copies and removes a complete entry. If there may be
// two copies, it stays until the end.
func (l *ledger) settle(task string, e *entry) {
	read := len(e.copies) > 0
	for _, c := range e.copies {
		same := e.receipt == messageID{} || e.receipt == c.id || e.receipt.Database != c.id.Database
		l.expect(same, "the receipt has the id of another message", "%v, not %v", e.receipt, c.id)
		read = read && c.read
	}
	if !read || !e.accepted && !e.failed {
		return
	}
	if e.failed {
		l.totals.failedArrived++
	}
	if !e.spansReplacement {
		delete(l.open, task)
	}
}

func (e *entry) release() {
	if e.window != nil {
		<-e.window
		e.window = nil
	}
}

func (l *ledger) expect(ok bool, what, format string, args ...any) {
	if !ok {
		l.violation(what, format, args...)
	}
}

func (l *ledger) violation(what, format string, args ...any) {
	if examples := l.violations[what]; len(examples) < 5 {
		l.violations[what] = append(examples, fmt.Sprintf(format, args...))
	}
}

func taskID(m client.MeshMessage) string {
	if m.RelatedTaskID == nil {
		return ""
	}
	return *m.RelatedTaskID
}
