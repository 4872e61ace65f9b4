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

// nodeServer is the state of a node that receives with Serve.
type nodeServer struct {
	node *node
	stop context.CancelFunc

	mu     sync.Mutex
	failed map[messageID]bool // the handler has failed, and has not succeeded yet
	last   bool               // the last message has arrived
}

// serve receives with Serve. The handler fails at the first attempt for one message in ten.
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

// handle stops the node when the last message and all those that failed at first have been handled. Serve hands over the messages of a
// poll before those of the next one, so that every other message has been handed over then; while Serve ends, no handler fails.
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

// failsFirst reports whether the handler fails at the first attempt.
func failsFirst(m client.MeshMessage) bool {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(taskID(m)))
	return hash.Sum32()%10 == 0
}

// onError accepts the errors of polls and registrations, and those of marks: of one that fails, and of one whose message was lost
// with its database. No handler fails twice.
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
