package soak_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// check checks the promises in the package comment.
func (r *run) check(g gatewayReport) {
	t, l := r.t, r.ledger
	for what, examples := range l.violations {
		assert.Fail(t, what, examples)
	}
	assert.Equal(t, l.totals.arrived+l.totals.lostUnseen+l.totals.stale+2*len(r.nodes), g.Stored, "every stored message must arrive once or be lost with its database")
	assert.Equal(t, l.totals.arrived, l.totals.read)
	assert.Empty(t, g.Early, "messages marked before they were handled")
	assert.LessOrEqual(t, g.Unread, l.totals.unmarked, "unread messages that weren't reported")
	assert.Zero(t, r.logs.warnings.Load(), "full polls")
	r.checkFaults(g)
	r.checkGrowth(g)

	// A client reads the registry once per RegistryTTL, and again after a send that the
	// registry made fail. On a slow machine, responses miss the client's timeout, so each
	// read takes several attempts. A client without a cache would read it for every
	// message.
	registryReads := g.Requests[gatewaytest.ListPeers] - g.Failed[gatewaytest.ListPeers]
	expected := (len(r.nodes) + 1) * (1 + int(time.Since(r.began)/client.DefaultRegistryTTL))
	assert.LessOrEqual(t, registryReads, maxAttempts*(expected+l.totals.failed+int(r.lastFailed.Load())), "registry reads")
}

// checkFaults checks that enough went wrong: a run without faults proves nothing. The
// ledger has already checked each error.
func (r *run) checkFaults(g gatewayReport) {
	t, s := r.t, r.ledger.totals
	assert.Positive(t, s.accepted)
	assert.Greater(t, total(g.Requests), 10*len(r.nodes))
	assert.Greater(t, total(g.Failed), total(g.Requests)/20, "about one request in eight fails")
	assert.GreaterOrEqual(t, len(g.Faults), len(faultKinds)/2, "kinds of faults: %v", g.Faults)
	assert.Positive(t, r.logs.retries.Load())
	if s.accepted > manySends {
		assert.Positive(t, s.failed+s.delivered, "sends that failed or had no receipt")
	}
	away := len(restarts) * len(r.nodes) * windowSize // sends that may fail during restarts
	timedOut := int(r.open.unanswered.Load())         // requests
	assert.Less(t, s.failed, s.accepted/20+len(r.nodes)/10+away+timedOut, "retries save most sends")
	// The client doesn't see every unreadable response, because its timeout may come
	// first.
	assert.LessOrEqual(t, s.delivered+s.implausible, g.Unreadable, "errors about an unreadable receipt")
	assert.GreaterOrEqual(t, s.delivered+s.implausible+timedOut, g.Unreadable/2, "errors about an unreadable receipt")
}

// With manySends, at least one must fail: one in fifty fails on all attempts. Only a slow
// machine sends fewer.
const manySends = 600

func total[K comparable](counts map[K]int) (n int) {
	for _, count := range counts {
		n += count
	}
	return n
}

// The heap has connections, requests in progress and ledger entries, which failed sends
// keep until the end. Their numbers vary, so their memory doesn't count as growth.
const (
	goroutinesPerConnection = 2
	heapPerConnection       = 16 << 10
	heapPerRequest          = 10 << 10
	heapPerEntry            = 2 << 10
)

// checkGrowth compares the end with the start. No bound depends on the machine's speed,
// because each node has only so many requests in progress.
func (r *run) checkGrowth(g gatewayReport) {
	early, late := earlyAndLate(r.samples)
	nodes := len(r.nodes)
	assert.LessOrEqual(r.t, late.heap, early.heap+r.heapAllowance(early, late), "bytes of heap")
	dialed := int(r.open.dialed.Load() - r.open.unanswered.Load() - r.open.idle.Load())
	starts := len(restarts) + 3 // the first one, the restart before the last messages, and a spare
	assert.LessOrEqual(r.t, dialed, g.Cut*3+starts*concurrency*nodes, "connections are reused unless a fault, a 5xx or a timeout closed them")
	own := late.goroutines - r.before - goroutinesPerConnection*late.connections
	assert.LessOrEqual(r.t, own, (goroutinesPerNode+windowSize+concurrency)*nodes, "goroutines: Serve has one per message, and a request may be dialing")
	most := slices.MaxFunc(r.samples, func(a, b sample) int { return cmp.Compare(a.connections, b.connections) })
	assert.LessOrEqual(r.t, most.connections, concurrency*nodes*2, "connections: one per concurrent request; Serve marks in addition to its workers")
}

// heapAllowance returns the allowed difference between two samples' heaps, in bytes.
func (r *run) heapAllowance(early, late sample) uint64 {
	connections := max(late.connections-early.connections, 0)
	entries := max(late.entries-early.entries, 0)
	return uint64(connections*heapPerConnection + entries*heapPerEntry + len(r.nodes)*concurrency*heapPerRequest)
}

func (r *run) log(g gatewayReport) {
	early, late := earlyAndLate(r.samples)
	s := r.ledger.totals
	r.t.Logf("%d nodes sent for %v, %v in all, %.0f messages per second", len(r.nodes), r.sentFor.Round(time.Millisecond),
		time.Since(r.began).Round(time.Millisecond), float64(s.accepted)/r.sentFor.Seconds())
	r.t.Logf("sends: %d accepted (%d of them without a receipt), %d failed (%d of them arrived)", s.accepted, s.delivered, s.failed, s.failedArrived)
	r.t.Logf("unreadable receipts: %d, errors with Delivered %d, with Uncertain %d", g.Unreadable, s.delivered, s.implausible)
	r.t.Logf("arrived %d, read %d, stored %d (with %d last messages), unread %d, marks reported %d", s.arrived, s.read, g.Stored, 2*len(r.nodes), g.Unread, s.unmarked)
	r.t.Logf("lost with a database %d (%d of them never seen), marked by an id from an earlier database %d", s.lost, s.lostUnseen, s.stale)
	r.t.Logf("requests: %v, failed: %v", g.Requests, g.Failed)
	r.t.Logf("faults: %v, after the effect: %d", g.Faults, g.AfterEffect)
	r.t.Logf("retries %d, Watch errors %d", r.logs.retries.Load(), s.watchErrors)
	r.t.Logf("connections dialed %d, closed without a response %d, closed when idle %d, cut by faults %d",
		r.open.dialed.Load(), r.open.unanswered.Load(), r.open.idle.Load(), g.Cut)
	r.t.Logf("heap: %d KB early, %d KB late, allowed %d KB more", early.heap>>10, late.heap>>10, r.heapAllowance(early, late)>>10)
	r.t.Logf("heap/goroutines/connections/ledger entries, %d goroutines before: %v", r.before, r.samples)
}
