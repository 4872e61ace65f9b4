package soak_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// Ids start over in every database, so a message's id alone doesn't identify it.
type messageID struct {
	Database int
	ID       int64
}

// markTracker compares MarkRead requests with handled messages. A node announces a
// message before marking it and waits for the response, so no request can overtake its
// announcement.
type markTracker struct {
	mu       sync.Mutex
	database int
	handled  map[messageID]bool
	order    markOrder
}

// markOrder has MarkRead requests for unhandled messages.
type markOrder struct {
	// Stale are marks whose id had been handled in an earlier database, Early all others.
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

// requested must be called before the request has an effect.
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
