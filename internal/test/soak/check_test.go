package soak_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// check compares the result with the package comment.
func (r *run) check(a account) {
	t, l := r.t, r.ledger
	for what, examples := range l.wrong {
		assert.Fail(t, what, examples)
	}
	assert.Equal(t, l.totals.arrived+l.totals.lostUnseen+l.totals.stale+len(r.nodes), a.Stored, "every stored message arrived once or was lost with its database")
	assert.Equal(t, l.totals.arrived, l.totals.read)
	assert.Empty(t, a.Early, "marked read before it was handled")
	assert.Zero(t, a.Unread)
	assert.Zero(t, r.diary.warnings.Load(), "full polls")
	r.checkFaults(a)
	r.checkGrowth(a)

	// A client reads the registry once, and again after a failure, which can happen on a slow machine when all clients start. A
	// client without a cache would read it for every message.
	registryReads := a.Requests[gatewaytest.ListPeers] - a.Failed[gatewaytest.ListPeers]
	expected := (len(r.nodes) + 1) * (1 + int(time.Since(r.began)/client.DefaultRegistryTTL))
	assert.LessOrEqual(t, registryReads, 3*expected, "registry reads")
}

// checkFaults checks that enough faults happened. A run without them would prove nothing.
func (r *run) checkFaults(a account) {
	t := r.t
	assert.Greater(t, r.ledger.totals.accepted, len(r.nodes))
	assert.InDelta(t, 0.125, float64(total(a.Failed))/float64(total(a.Requests)), 0.05, "one request in ten, and the sends that fail on every attempt")
	assert.GreaterOrEqual(t, len(a.Faults), len(kinds)/2, "all kinds of faults: %v", a.Faults)
	assert.Positive(t, r.diary.retries.Load())
	assert.Positive(t, r.ledger.totals.failed+r.ledger.totals.delivered, "sends that failed or had no receipt")
	away := len(restarts) * len(r.nodes) * 4 // sends that fail while the gateway restarts
	assert.Less(t, r.ledger.totals.failed, r.ledger.totals.accepted/20+len(r.nodes)/10+away, "retries save most sends")
	// The ledger has checked each of these errors. Of some answers the client sees nothing, since its timeout was earlier.
	assert.LessOrEqual(t, r.ledger.totals.delivered+r.ledger.totals.strange, a.Unreadable, "errors about an unreadable receipt")
	assert.Positive(t, r.ledger.totals.delivered)
}

func total[K comparable](counts map[K]int) (n int) {
	for _, count := range counts {
		n += count
	}
	return n
}

// A connection has two goroutines and buffers. The number of connections varies with the requests in progress, so their
// memory does not count as growth.
const (
	goroutinesPerConnection = 2
	heapPerConnection       = 16 << 10
)

// checkGrowth compares the end with the beginning. The slack is for the requests in progress, whose number varies: it is about a
// hundred bytes for each message of a run of 30 seconds, and three in one of 20 minutes.
func (r *run) checkGrowth(a account) {
	early, late := earlyAndLate(r.samples)
	nodes := len(r.nodes)
	more := max(late.connections-early.connections, 0)
	assert.LessOrEqual(r.t, late.heap, early.heap+uint64(more)*heapPerConnection+r.size.slack, "bytes of heap")
	dialled := int(r.open.dialled.Load())
	assert.LessOrEqual(r.t, dialled, a.Cut*3+(2+len(restarts))*concurrency*nodes, "connections are reused unless a fault or a 5xx closed them")
	own := late.goroutines - r.before - goroutinesPerConnection*late.connections
	assert.LessOrEqual(r.t, own, (goroutinesPerNode+windowSize)*nodes, "goroutines without those of connections: Serve has one for each message")
	most := slices.MaxFunc(r.samples, func(a, b sample) int { return cmp.Compare(a.connections, b.connections) })
	assert.LessOrEqual(r.t, most.connections, concurrency*nodes*2, "connections: one for each concurrent request; Serve marks beside its workers")
}

func (r *run) report(a account) {
	early, late := earlyAndLate(r.samples)
	s := r.ledger.totals
	r.t.Logf("%d nodes sent for %v, %v in all, %.0f messages per second", len(r.nodes), r.sentFor.Round(time.Millisecond),
		time.Since(r.began).Round(time.Millisecond), float64(s.accepted)/r.sentFor.Seconds())
	r.t.Logf("sends: %d accepted (%d of them without a receipt), %d failed (%d of them arrived)", s.accepted, s.delivered, s.failed, s.failedArrived)
	r.t.Logf("arrived %d, read %d, stored %d (with %d last messages), unread %d", s.arrived, s.read, a.Stored, len(r.nodes), a.Unread)
	r.t.Logf("lost with a database %d (%d of them never seen), marked by an id of an earlier database %d", s.lost, s.lostUnseen, s.stale)
	r.t.Logf("requests: %v, failed: %v", a.Requests, a.Failed)
	r.t.Logf("faults: %v, after the effect: %d", a.Faults, a.AfterEffect)
	r.t.Logf("retries %d, errors of Watch %d, connections dialled %d, cut by faults %d", r.diary.retries.Load(), s.watchErrors, r.open.dialled.Load(), a.Cut)
	r.t.Logf("heap %d KB early, %d KB late; goroutines %d and %d, %d before; connections %d and %d",
		early.heap>>10, late.heap>>10, early.goroutines, late.goroutines, r.before, early.connections, late.connections)
	r.t.Logf("heap, goroutines and connections over time: %v", r.samples)
}
