package soak_test

import (
	"errors"
	"fmt"
	"sync"

	"github.com/mesh-gateway/mesh-go/client"
)

// ledger follows every message. It forgets a message once Send has returned and the message is read; if it arrives again, the
// ledger has no entry for it.
type ledger struct {
	mu     sync.Mutex
	open   map[string]*entry // by task id, which is unique
	totals totals
	wrong  map[string][]string // what went wrong, with a few examples
}

type totals struct {
	// A message is accepted if Send returns a receipt, or an error with Delivered. Otherwise it has failed and may have arrived.
	accepted, delivered, failed int
	arrived, failedArrived      int
	read                        int
	watchErrors                 int
}

type entry struct {
	from     string
	request  client.SendRequest
	accepted bool
	failed   bool
	receipt  int64 // 0 if there is none
	id       int64 // 0 until it arrives
	read     bool
	window   chan struct{} // this message occupies one place; nil after it is released
}

func newLedger() *ledger {
	return &ledger{open: make(map[string]*entry), wrong: make(map[string][]string)}
}

// sending opens an entry. The message occupies a place in window until it has failed or is read.
func (l *ledger) sending(from string, request client.SendRequest, window chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[request.RelatedTaskID] = &entry{from: from, request: request, window: window}
}

// sent records the result of Send.
func (l *ledger) sent(task string, receipt *client.MeshMessage, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.open[task]
	var failed *client.MeshGatewayError
	switch {
	case err == nil:
		e.accepted, e.receipt = true, receipt.ID
		l.totals.accepted++
	case errors.As(err, &failed) && failed.Delivered:
		e.accepted = true
		l.totals.accepted++
		l.totals.delivered++
	default:
		e.failed = true
		l.totals.failed++
		e.giveBack()
	}
	l.expect(err == nil || errors.Is(err, client.ErrMesh), "an error is not a client error", "%s: %v", task, err)
	l.settle(task, e)
}

// arrived records a message from Watch.
func (l *ledger) arrived(node string, m client.MeshMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.open[taskID(m)]
	if e == nil {
		l.complain("arrived again after it was read, or was never sent", "%s: message %d, task %s", node, m.ID, taskID(m))
		return
	}
	if e.id != 0 {
		l.expect(e.id != m.ID, "Watch repeated a message", "%s: message %d, task %s", node, m.ID, taskID(m))
		l.expect(e.id == m.ID, "a message was stored twice", "%s: messages %d and %d, task %s", node, e.id, m.ID, taskID(m))
		return
	}
	e.id = m.ID
	l.totals.arrived++
	same := m.FromNode == e.from && m.ToNode == e.request.To && m.ToNode == node && m.Kind == e.request.Kind &&
		m.Content != nil && *m.Content == e.request.Content
	l.expect(same, "arrived with other content", "%s: %v %v", node, m.ID, m.Kind)
	l.settle(taskID(m), e)
}

// follows checks the order of Watch: oldest first.
func (l *ledger) follows(node string, before, id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expect(before < id, "Watch was not in order", "%s: message %d came before %d", node, before, id)
}

// marked records the result of MarkRead.
func (l *ledger) marked(m client.MeshMessage, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expect(err == nil, "MarkRead failed", "message %d: %v", m.ID, err)
	e := l.open[taskID(m)]
	if err != nil || e == nil || e.id != m.ID {
		return
	}
	e.read = true
	l.totals.read++
	e.giveBack()
	l.settle(taskID(m), e)
}

func (l *ledger) watchFailed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.totals.watchErrors++
	l.expect(errors.Is(err, client.ErrMesh), "an error is not a client error", "Watch: %v", err)
}

// close checks the entries that are still open.
func (l *ledger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for task, e := range l.open {
		l.expect(!e.accepted || e.id != 0, "accepted and never arrived", "task %s from %s to %s", task, e.from, e.request.To)
		l.expect(e.id == 0 || e.read, "arrived and was never read", "task %s, message %d", task, e.id)
		l.expect(e.accepted || e.failed, "Send never returned", "task %s", task)
	}
}

// settle compares the two ids of a message once both are known, and removes the entry when it is complete.
func (l *ledger) settle(task string, e *entry) {
	l.expect(e.receipt == 0 || e.id == 0 || e.receipt == e.id, "the receipt has the id of another message", "%d, not %d", e.receipt, e.id)
	if !e.read || !e.accepted && !e.failed {
		return
	}
	delete(l.open, task)
	if e.failed {
		l.totals.failedArrived++
	}
}

func (e *entry) giveBack() {
	if e.window != nil {
		<-e.window
		e.window = nil
	}
}

func (l *ledger) expect(ok bool, what, format string, args ...any) {
	if !ok {
		l.complain(what, format, args...)
	}
}

func (l *ledger) complain(what, format string, args ...any) {
	if examples := l.wrong[what]; len(examples) < 5 {
		l.wrong[what] = append(examples, fmt.Sprintf(format, args...))
	}
}

func taskID(m client.MeshMessage) string {
	if m.RelatedTaskID == nil {
		return ""
	}
	return *m.RelatedTaskID
}
