package soak_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// check demands what the package comment says.
func (r *run) check(a account) {
	t, l := r.t, r.ledger
	for what, examples := range l.wrong {
		assert.Fail(t, what, examples)
	}
	assert.Equal(t, l.totals.arrived+len(r.nodes), a.Stored, "every message of the gateway has arrived, and no message is there twice")
	assert.Equal(t, l.totals.arrived, l.totals.read)
	assert.Zero(t, a.Unread)
	assert.Zero(t, r.diary.warnings.Load(), "no window was full")
	r.checkThatItWasHard(a)
	r.checkThatItIsFlat(a)

	// A client asks once for the registry, and again where that failed: on a slow machine by itself, when all begin at once.
	// A client that remembered nothing would ask for every message.
	registryReads := a.Requests[gatewaytest.ListPeers] - a.Failed[gatewaytest.ListPeers]
	expected := (len(r.nodes) + 1) * (1 + int(time.Since(r.began)/client.DefaultRegistryTTL))
	assert.LessOrEqual(t, registryReads, 3*expected, "registry reads")
}

// checkThatItWasHard: a run without faults would prove nothing.
func (r *run) checkThatItWasHard(a account) {
	t := r.t
	assert.Greater(t, r.ledger.totals.accepted, len(r.nodes))
	assert.InDelta(t, 0.125, float64(total(a.Failed))/float64(total(a.Requests)), 0.05, "one answer in ten, and the luckless")
	assert.GreaterOrEqual(t, len(a.Faults), len(kinds)/2, "all kinds of faults: %v", a.Faults)
	assert.Positive(t, r.diary.retries.Load())
	assert.Positive(t, r.ledger.totals.failed+r.ledger.totals.delivered, "sends that did not simply succeed")
	assert.Less(t, r.ledger.totals.failed, r.ledger.totals.accepted/20+len(r.nodes)/10, "retries save all sends but the luckless")
	// The herald's sends are not in the ledger, and an answer may come too late on a slow machine.
	assert.InDelta(t, a.Unreadable, r.ledger.totals.delivered, 5+float64(a.Unreadable)/5, "unreadable receipts are told by Delivered")
}

func total[K comparable](counts map[K]int) (n int) {
	for _, count := range counts {
		n += count
	}
	return n
}

// A connection has two goroutines, and buffers with what belongs to them. How many there are is a matter of chance (one
// for each request under way, and those stay a while), so what they take is not counted as growth.
const (
	goroutinesPerConnection = 2
	heapPerConnection       = 16 << 10
)

// checkThatItIsFlat compares late with early. In two minutes the slack for the heap is about ten bytes for each message.
func (r *run) checkThatItIsFlat(a account) {
	early, late := earlyAndLate(r.samples)
	nodes := len(r.nodes)
	more := max(late.connections-early.connections, 0)
	assert.LessOrEqual(r.t, late.heap, early.heap+uint64(more)*heapPerConnection+r.size.slack, "bytes of memory")
	dialled := int(r.open.dialled.Load())
	assert.LessOrEqual(r.t, dialled, a.Cut*5/4+2*concurrency*nodes, "connections are used again unless a fault has cut them")
	own := late.goroutines - r.before - goroutinesPerConnection*late.connections
	assert.InDelta(r.t, goroutinesPerNode*nodes, own, float64(nodes), "goroutines besides those of the connections")
	most := slices.MaxFunc(r.samples, func(a, b sample) int { return cmp.Compare(a.connections, b.connections) })
	assert.LessOrEqual(r.t, most.connections, concurrency*nodes*5/4, "connections: one for each request under way, and a few that crossed")
}

func (r *run) report(a account) {
	early, late := earlyAndLate(r.samples)
	s := r.ledger.totals
	r.t.Logf("%d nodes sent for %v, %v in all, %.0f messages per second", len(r.nodes), r.sentFor.Round(time.Millisecond),
		time.Since(r.began).Round(time.Millisecond), float64(s.accepted)/r.sentFor.Seconds())
	r.t.Logf("sends: %d accepted (%d of them without a receipt), %d failed (%d of them arrived)", s.accepted, s.delivered, s.failed, s.failedArrived)
	r.t.Logf("arrived %d, read %d, stored %d (with %d last messages), unread %d", s.arrived, s.read, a.Stored, len(r.nodes), a.Unread)
	r.t.Logf("requests: %v, spoilt: %v", a.Requests, a.Failed)
	r.t.Logf("faults: %v, after the effect: %d", a.Faults, a.AfterEffect)
	r.t.Logf("retries %d, errors of Watch %d, connections dialled %d, cut by faults %d", r.diary.retries.Load(), s.watchErrors, r.open.dialled.Load(), a.Cut)
	r.t.Logf("heap %d KB early, %d KB late; goroutines %d and %d, %d before; connections %d and %d",
		early.heap>>10, late.heap>>10, early.goroutines, late.goroutines, r.before, early.connections, late.connections)
	r.t.Logf("heap, goroutines and connections over time: %v", r.samples)
}
