package soak_test

import (
	"context"
	"errors"
	"hash/fnv"
	"sync"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client"
)

// serving is the state of a node that receives with Serve.
type serving struct {
	node *node
	end  context.CancelFunc

	mu     sync.Mutex
	failed map[place]bool // the handler has failed, and has not succeeded yet
	last   bool           // the last message has arrived
}

// serve receives with Serve. The handler fails at the first attempt for one message in ten.
func (n *node) serve(ctx context.Context) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	s := &serving{node: n, end: end, failed: make(map[place]bool)}
	err := n.client.Serve(ctx, s.handle, client.ServeOptions{
		Workers:  workers,
		Watch:    client.WatchOptions{Interval: n.interval},
		Register: &client.RegisterRequest{URL: "http://" + n.name + ":8787"},
		OnError:  s.report,
	})
	assert.NoError(n.t, err)
}

var errFirstAttempt = errors.New("the first attempt fails")

// handle ends the node when the last message and all those that failed at first have been handled. Serve hands over in order,
// so that every other message has been handed over then; while it drains, no handler fails.
func (s *serving) handle(_ context.Context, m client.MeshMessage) error {
	at := s.node.ledger.place(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.failed[at] && !s.last && m.FromNode != herald && unlucky(m) {
		s.failed[at] = true
		return errFirstAttempt
	}
	delete(s.failed, at)
	s.node.gateway.handled(s.node.t, at)
	if s.last = s.last || m.FromNode == herald; s.last && len(s.failed) == 0 {
		s.end()
	}
	if m.FromNode != herald {
		s.node.ledger.arrived(s.node.name, m)
		s.node.ledger.marked(m, nil, false)
	}
	return nil
}

// unlucky reports whether the handler fails at the first attempt.
func unlucky(m client.MeshMessage) bool {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(taskID(m)))
	return hash.Sum32()%10 == 0
}

// report receives the errors of Serve. It gives up no message: no handler fails twice, and the gateway is never away for long.
func (s *serving) report(m client.MeshMessage, err error) {
	if m.ID == 0 {
		s.node.ledger.watchFailed(err)
		return
	}
	assert.NoError(s.node.t, err, "message %d", m.ID)
}
