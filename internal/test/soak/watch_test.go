package soak_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
)

// unread is a message that is marked later, so that polls return it again.
type unread struct {
	message client.MeshMessage
	due     time.Time
}

// watch receives with Watch and MarkRead.
func (n *node) watch(ctx context.Context) {
	later := make(chan unread, windowSize)
	var marking sync.WaitGroup
	for range workers {
		marking.Go(func() {
			for u := range later {
				wait(ctx, time.Until(u.due))
				n.mark(ctx, u.message)
			}
		})
	}
	n.watchUntilHerald(ctx, later)
	close(later)
	marking.Wait()
}

func (n *node) watchUntilHerald(ctx context.Context, later chan<- unread) {
	last := place{}
	for m, err := range n.client.Watch(ctx, client.WatchOptions{Interval: n.interval}) {
		if err != nil {
			n.ledger.watchFailed(err)
			continue
		}
		at := n.ledger.place(m)
		n.ledger.follows(n.name, last, at)
		last = at
		if m.FromNode != herald {
			n.ledger.arrived(n.name, m)
		}
		later <- unread{m, time.Now().Add(rand.N(4 * n.interval))}
		if m.FromNode == herald {
			return // Watch is in order: everything before this has arrived
		}
	}
}

// mark marks a message read. While the gateway is away, it tries again.
func (n *node) mark(ctx context.Context, m client.MeshMessage) {
	n.gateway.handled(n.t, n.ledger.place(m))
	for again := false; ctx.Err() == nil; again = true {
		if n.ledger.marked(m, n.client.MarkRead(ctx, m.ID), again) {
			return
		}
		wait(ctx, outage/4)
	}
}
