package soak_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

type run struct {
	t       *testing.T
	size    size
	seed    uint64
	gateway *process
	open    *connections
	logs    *logCounter
	ledger  *ledger
	nodes   []*node
	before  int // goroutines
	began   time.Time
	sentFor time.Duration
	samples []sample
	// lastSender sends the last messages and looks messages up. lastFailed counts its
	// failed sends.
	lastSender *client.MeshClient
	lastFailed atomic.Int64
}

type size struct {
	nodes    int
	sending  time.Duration
	interval time.Duration // for Watch
	timeout  time.Duration // per request
}

func sizeFor(sending time.Duration) size {
	if sending < 10*time.Second {
		return size{nodes: 50, sending: sending, interval: 100 * time.Millisecond, timeout: time.Second}
	}
	return size{nodes: 200, sending: sending, interval: 500 * time.Millisecond, timeout: 5 * time.Second}
}

// endTimeout ends a run that hangs after its nodes have stopped sending.
const endTimeout = 3 * time.Minute

// TestSoak isn't parallel: it counts goroutines and replaces the default transport.
func TestSoak(t *testing.T) {
	if whole.Tests() || *soakFor > time.Second { // Serve polls like Watch
		t.Run("Watch", func(t *testing.T) { soak(t, (*node).watch) })
	}
	t.Run("Serve", func(t *testing.T) {
		report := soak(t, (*node).serve)
		assert.Empty(t, report.Stale, "messages in the new database that were marked instead of earlier ones")
	})
}

func soak(t *testing.T, receive func(*node, context.Context)) gatewayReport {
	t.Helper()
	r := prepare(t, receive)
	ctx, cancel := context.WithTimeout(t.Context(), r.size.sending+endTimeout)
	defer cancel()
	r.exchange(ctx)
	r.findUnseen(ctx)
	r.close()
	require.Len(t, r.samples, samplesPerRun, "time ran out before everything was sent")
	report := r.gateway.finish(t)
	r.ledger.close(report.Stale)
	r.log(report)
	r.check(report)
	return report
}

func prepare(t *testing.T, receive func(*node, context.Context)) *run {
	t.Helper()
	r := &run{t: t, size: sizeFor(*soakFor), seed: *seedFlag, open: countConnections(t), logs: new(logCounter), ledger: newLedger()}
	for r.seed == 0 {
		r.seed = rand.Uint64()
	}
	t.Logf("seed %d", r.seed)
	r.gateway = startGateway(t, r.size.nodes, r.seed)
	r.before = runtime.NumGoroutine()
	for i := range r.size.nodes {
		n := &node{
			t:          t,
			name:       nodeName(i),
			client:     r.connect(nodeName(i)),
			gateway:    r.gateway,
			ledger:     r.ledger,
			interval:   r.size.interval,
			random:     rand.New(rand.NewPCG(r.seed, uint64(i))),
			window:     make(chan struct{}, windowSize),
			lastButOne: make(chan struct{}),
		}
		n.receive = func(ctx context.Context) { receive(n, ctx) }
		r.nodes = append(r.nodes, n)
	}
	r.lastSender = r.connect(lastSender)
	return r
}

func (r *run) connect(node string) *client.MeshClient {
	r.t.Helper()
	c, err := client.New(node,
		client.WithGatewayURL("http://"+r.gateway.address),
		client.WithToken(token),
		client.WithTimeout(r.size.timeout),
		client.WithRetry(client.RetryPolicy{MaxAttempts: maxAttempts, BaseDelay: 10 * time.Millisecond, MaxDelay: 100 * time.Millisecond}),
		client.WithLogger(slog.New(slog.NewTextHandler(r.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))),
	)
	require.NoError(r.t, err)
	return c
}

// exchange lets all nodes send for a while. The two last messages then make each node
// stop receiving. A restart before them ends requests whose client timed out: otherwise
// their messages might arrive after the last one. Ids are skipped because a node would
// never stop if a MarkRead for the lost database marked its last message.
func (r *run) exchange(ctx context.Context) {
	stop := make(chan struct{})
	var sending, receiving sync.WaitGroup
	r.began = time.Now()
	for i, n := range r.nodes {
		receiving.Go(func() { n.receive(ctx) })
		sending.Go(func() { n.send(ctx, stop, i*tasksPerNode, len(r.nodes)) })
	}
	sending.Go(func() { r.restartGateway(ctx) })
	r.takeSamples(ctx)
	close(stop)
	sending.Wait()
	r.sentFor = time.Since(r.began)
	r.gateway.restart(r.t, nil)
	r.gateway.skipIDs(r.t)
	for _, n := range r.nodes {
		receiving.Go(func() { assert.NoError(r.t, r.sendLast(ctx, n)) })
	}
	receiving.Wait()
	assert.NoError(r.t, ctx.Err(), "timed out before every node had the last message")
}

// findUnseen looks up messages without a receipt that didn't arrive, so the ledger knows
// whether a MarkRead for the old database marked them. Faults end first, because an empty
// inbox is one.
func (r *run) findUnseen(ctx context.Context) {
	r.gateway.endFaults(r.t)
	for _, request := range r.ledger.unseen() {
		options := client.FetchOptions{ToNode: request.To, FromNode: nodeName(taskNode(request.RelatedTaskID)), Limit: 1000}
		rows, err := r.lastSender.Fetch(ctx, options)
		assert.NoError(r.t, err)
		for _, m := range rows {
			if taskID(m) == request.RelatedTaskID {
				r.ledger.found(m)
			}
		}
	}
}

// at is a fraction of the sending time. No restart is in the second or last fifth, where
// we compare memory: without a gateway there are no connections. Marks hang before the
// new database.
var restarts = []struct {
	at  float64
	new bool
}{{0.15, false}, {0.5, true}, {0.7, false}}

// hangBefore is how long marks hang before the new database, as a fraction of the sending
// time.
const hangBefore = 0.1

func (r *run) restartGateway(ctx context.Context) {
	await := func(at float64) bool {
		pause(ctx, time.Until(r.began.Add(time.Duration(at*float64(r.size.sending)))))
		return ctx.Err() == nil
	}
	for _, restart := range restarts {
		if restart.new && await(restart.at-hangBefore) {
			r.gateway.hangMarks(r.t)
		}
		switch {
		case !await(restart.at):
			return
		case restart.new:
			r.gateway.restart(r.t, r.ledger.databaseReplaced)
		default:
			r.gateway.restart(r.t, nil)
		}
	}
}

// close closes the clients and checks that they leave nothing behind.
func (r *run) close() {
	for _, n := range append(r.nodes, &node{client: r.lastSender}) {
		assert.NoError(r.t, n.client.Close())
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil && (runtime.NumGoroutine() > r.before || r.open.now.Load() > 0) {
		pause(ctx, time.Millisecond)
	}
	assert.LessOrEqual(r.t, runtime.NumGoroutine(), r.before, "goroutines left")
	assert.Zero(r.t, r.open.now.Load(), "connections left")
}
