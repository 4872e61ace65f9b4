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

// ledger follows every message. It forgets a message once Send has returned and the message is read; if it arrives again, the
// ledger has no entry for it.
type ledger struct {
	mu       sync.Mutex
	open     map[string]*entry // by task id, which is unique
	replaced []time.Time       // the ends of the databases
	// lateMarks are the ids of messages that were marked after their database had been replaced. Such a mark may have marked a
	// message of the next database. notFound are the messages of the last database whose MarkRead failed with 404.
	lateMarks  map[int64]bool
	notFound   []messageID
	totals     totals
	violations map[string][]string // a few examples of each kind
}

type totals struct {
	// A message is accepted if Send returns a receipt, or an error with Delivered. Otherwise it has failed and may have arrived.
	accepted, delivered, failed int
	// implausible counts the failed sends with a 2xx response that cannot be the gateway's.
	implausible            int
	arrived, failedArrived int
	// lost counts the messages that were unread when their database was replaced, lostUnseen those that never arrived. stale
	// counts those that never arrived because a MarkRead for the old database marked them.
	lost, lostUnseen, stale int
	read                    int
	// unmarked counts the marks that Serve reported, of messages in the database of that time.
	unmarked    int
	watchErrors int
}

type entry struct {
	from     string
	request  client.SendRequest
	accepted bool
	failed   bool
	receipt  messageID // zero if there is none
	copies   []arrival // at most one for each database
	// lost is set if the message was unread when database lostFrom was replaced.
	lost     bool
	lostFrom int
	// spansReplacement is set if Send was under way when a database was replaced. Its message may be stored in both.
	spansReplacement bool
	window           chan struct{} // this message occupies one element; nil after release
}

// arrival is a message that arrived.
type arrival struct {
	id   messageID
	read bool
}

func newLedger() *ledger {
	return &ledger{open: make(map[string]*entry), lateMarks: make(map[int64]bool), violations: make(map[string][]string)}
}

// messageID returns the id of a message with its database.
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

// databaseReplaced records the end of a database, with the messages that are lost.
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

// isLost reports whether the database of a message has been replaced.
func (l *ledger) isLost(m client.MeshMessage) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.identify(m).Database < len(l.replaced)
}

// markFailed records the report of a mark that Serve sends later, or not at all when it ends.
func (l *ledger) markFailed(m client.MeshMessage) {
	if !l.isLost(m) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.totals.unmarked++
	}
}

// sendStarted opens an entry. The message occupies an element of window until it has failed, is read or is lost.
func (l *ledger) sendStarted(from string, request client.SendRequest, window chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[request.RelatedTaskID] = &entry{from: from, request: request, window: window}
}

// sendReturned records the result of Send. The gateway names the fault of a response in X-Request-Id, so that the error is known.
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

// checkError checks Delivered, and Uncertain where the response cannot be the gateway's.
func (l *ledger) checkError(task string, failed *client.MeshGatewayError) {
	posted := failed.Method == http.MethodPost // else the registry could not be read
	if posted && failed.RequestID == notJSON.name {
		l.totals.implausible++
		l.expect(failed.Uncertain, "Uncertain is wrong", "%s: %v", task, failed)
	}
	unreadable := failed.RequestID == truncated.name || failed.RequestID == empty.name
	l.expect(failed.Delivered == (posted && unreadable), "Delivered is wrong", "%s: %v", task, failed)
}

// arrived records a message from Watch, or one that a handler of Serve has finished.
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

// checkOrder checks the order of Watch: oldest first.
func (l *ledger) checkOrder(node string, before, next messageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	inOrder := before.Database < next.Database || before.Database == next.Database && before.ID < next.ID
	l.expect(inOrder, "Watch was not in order", "%s: message %v came before %v", node, before, next)
}

// marked records the result of MarkRead and reports whether it is final: an outage is not, and 404 is. A 404 is expected if an
// earlier call failed and may have marked the message.
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

// entries returns the number of messages that are not complete.
func (l *ledger) entries() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)
}

// unseen returns the messages without a receipt that have not arrived, also those whose Send failed, and those that may have
// arrived from one database alone.
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

// found records a message of unseen that is in the current database.
func (l *ledger) found(m client.MeshMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[taskID(m)].receipt = l.identify(m)
}

// close checks the entries that are still open. stale are the messages that a MarkRead for an earlier database can have marked.
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

// closeUnseen accounts for the copies of a message that did not arrive.
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

// settle compares a receipt with the copies, and removes the entry when it is complete. A message that may have two copies
// stays until the end.
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
