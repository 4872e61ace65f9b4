package soak_test

import (
	"context"
	"errors"
	"hash/fnv"
	"sync"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
)

type nodeServer struct {
	node *node
	stop context.CancelFunc

	mu     sync.Mutex
	failed map[messageID]bool // the handler failed and hasn't succeeded yet
	last   bool               // the last message has arrived
}

// serve receives with Serve. For one message in ten, the handler's first attempt fails.
func (n *node) serve(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &nodeServer{node: n, stop: stop, failed: make(map[messageID]bool)}
	err := agent.Serve(ctx, n.client, s.handle, agent.ServeOptions{
		Workers:  workers,
		Interval: n.interval,
		Register: &client.RegisterRequest{URL: "http://" + n.name + ":8787"},
		OnError:  s.onError,
	})
	assert.NoError(n.t, err)
}

var errFirstAttempt = errors.New("the first attempt fails")

// handle stops the node once the last message and all that failed at first are handled.
// Serve hands over one poll's messages before the next poll's, so every other message has
// been handed over by then. No handler fails while Serve ends.
func (s *nodeServer) handle(_ context.Context, m client.MeshMessage) error {
	id := s.node.ledger.messageID(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.failed[id] && !s.last && m.FromNode != lastSender && failsFirst(m) {
		s.failed[id] = true
		return errFirstAttempt
	}
	delete(s.failed, id)
	s.node.gateway.setHandled(s.node.t, id)
	if s.last = s.node.isLast(m) || s.last; s.last && len(s.failed) == 0 {
		s.stop()
	}
	if m.FromNode != lastSender {
		s.node.ledger.arrived(s.node.name, m)
		s.node.ledger.marked(m, nil, false)
	}
	return nil
}

func failsFirst(m client.MeshMessage) bool {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(taskID(m)))
	return hash.Sum32()%10 == 0
}

// onError accepts failed polls, registrations and marks, and a mark whose message was
// lost with its database. No handler fails twice.
func (s *nodeServer) onError(m client.MeshMessage, err error) {
	var failed *client.MeshGatewayError
	switch {
	case m.ID == 0:
		s.node.ledger.watchFailed(err)
	case errors.As(err, &failed):
		assert.ErrorContains(s.node.t, err, "handled, but not marked read", "message %d", m.ID)
		s.node.ledger.markFailed(m)
	default:
		assert.ErrorContains(s.node.t, err, "no longer visible in the inbox", "message %d", m.ID)
		assert.True(s.node.t, s.node.ledger.isLost(m), "message %d is in the current database", m.ID)
	}
}
