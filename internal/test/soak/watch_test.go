package soak_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
)

// pendingMark is a message to mark later, so that more polls return it.
type pendingMark struct {
	message client.MeshMessage
	due     time.Time
}

func (n *node) watch(ctx context.Context) {
	pending := make(chan pendingMark, windowSize)
	var marking sync.WaitGroup
	for range workers {
		marking.Go(func() {
			for p := range pending {
				pause(ctx, time.Until(p.due))
				n.mark(ctx, p.message)
			}
		})
	}
	n.watchUntilLast(ctx, pending)
	close(pending)
	marking.Wait()
}

func (n *node) watchUntilLast(ctx context.Context, pending chan<- pendingMark) {
	previous := messageID{}
	for m, err := range agent.Watch(ctx, n.client, agent.WatchOptions{Interval: n.interval}) {
		if err != nil {
			n.ledger.watchFailed(err)
			continue
		}
		id := n.ledger.messageID(m)
		n.ledger.checkOrder(n.name, previous, id)
		previous = id
		if m.FromNode != lastSender {
			n.ledger.arrived(n.name, m)
		}
		pending <- pendingMark{m, time.Now().Add(rand.N(4 * n.interval))}
		if n.isLast(m) {
			return // Watch is in order, so everything before this has arrived
		}
	}
}

// mark retries until the gateway answers.
func (n *node) mark(ctx context.Context, m client.MeshMessage) {
	n.gateway.setHandled(n.t, n.ledger.messageID(m))
	for again := false; ctx.Err() == nil; again = true {
		if n.ledger.marked(m, n.client.MarkRead(ctx, m.ID), again) {
			return
		}
		pause(ctx, outage/4)
	}
}
