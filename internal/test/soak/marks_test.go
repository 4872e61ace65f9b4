package soak_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// messageID identifies a message. Ids begin again in every database.
type messageID struct {
	Database int
	ID       int64
}

// markTracker compares the MarkRead requests with the messages that were handled. A node announces a message before it marks
// it and waits for the answer, so that no request can overtake the announcement.
type markTracker struct {
	mu       sync.Mutex
	database int
	handled  map[messageID]bool
	order    markOrder
}

// markOrder has the MarkRead requests for messages that had not been handled.
type markOrder struct {
	// Early are marks without a reason. Stale are marks for a message with the same id in an earlier database, which had been
	// handled.
	Early, Stale []messageID
}

func newMarkTracker() *markTracker { return &markTracker{handled: make(map[messageID]bool)} }

func (t *markTracker) nextDatabase() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.database++
}

func (t *markTracker) setHandled(id messageID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.handled[id] = true
}

// requested records a request, before it has an effect.
func (t *markTracker) requested(r gatewaytest.Request) {
	if r.Operation != gatewaytest.MarkMessageRead {
		return
	}
	var id int64
	_, _ = fmt.Sscanf(r.Path, "/messages/%d/read", &id)
	t.mu.Lock()
	defer t.mu.Unlock()
	for database := t.database; database >= 0; database-- {
		if !t.handled[messageID{database, id}] {
			continue
		}
		if database < t.database {
			t.order.Stale = append(t.order.Stale, messageID{t.database, id})
		}
		return
	}
	t.order.Early = append(t.order.Early, messageID{t.database, id})
}

func TestMarkTrackerFindsMarksOfUnhandledMessages(t *testing.T) {
	t.Parallel()
	tracker := newMarkTracker()
	mark := func(id int) {
		tracker.requested(gatewaytest.Request{Operation: gatewaytest.MarkMessageRead, Path: fmt.Sprintf("/messages/%d/read", id)})
	}
	tracker.setHandled(messageID{0, 1})
	mark(1)
	mark(2)
	tracker.nextDatabase()
	tracker.setHandled(messageID{1, 3})
	mark(1)
	mark(3)
	mark(4)
	assert.Equal(t, []messageID{{0, 2}, {1, 4}}, tracker.order.Early)
	assert.Equal(t, []messageID{{1, 1}}, tracker.order.Stale)
}
