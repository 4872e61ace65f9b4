package soak_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
)

type node struct {
	t        *testing.T
	name     string
	client   *client.MeshClient
	gateway  *process
	ledger   *ledger
	interval time.Duration
	random   *rand.Rand // only for the sender
	window   chan struct{}
	// lastButOne is closed when the last message but one arrives.
	lastButOne chan struct{}
	// receive returns after the last message has arrived.
	receive func(context.Context)
}

const (
	// windowSize limits a sender's unread messages. Together, all windows stay below a
	// poll's 1,000 rows, so no inbox overflows even if every node writes to it.
	windowSize = 4
	// workers limits a node's concurrent MarkRead calls or handlers. With the sender and
	// the watcher, that's a client's maximum for concurrent requests.
	workers     = 2
	concurrency = workers + 2
	// sender, watcher and workers
	goroutinesPerNode = workers + 2
	// lastSender sends every node its last message.
	lastSender = "last-sender"
)

// tasksPerNode keeps the nodes' task ids apart.
const tasksPerNode = 1_000_000

// taskNode returns the number of the sending node.
func taskNode(task string) int {
	n, _ := strconv.Atoi(task)
	return n / tasksPerNode
}

// send runs until stop is closed, then completes the message in progress.
func (n *node) send(ctx context.Context, stop <-chan struct{}, firstTask, nodes int) {
	for i := 1; ; i++ {
		select {
		case n.window <- struct{}{}:
		case <-stop:
			return
		}
		select {
		case <-stop: // select picks randomly if both are ready
			return
		default:
		}
		request := n.compose(firstTask+i, nodes)
		n.ledger.sendStarted(n.name, request, n.window)
		receipt, err := n.client.Send(ctx, request)
		n.ledger.sendReturned(request.RelatedTaskID, receipt, err)
	}
}

var (
	messageKinds = []client.Kind{client.KindFYI, client.KindQuestion, client.KindAnswer, client.KindStatus, client.KindUnblock}
	filler       = []rune("The build is green again, Größe 数 42 <&> \"quoted\", a\ttab and a\nline: can you take the deploy from here? 🙂 ")
)

func (n *node) compose(task, nodes int) client.SendRequest {
	to := nodeName(n.random.IntN(nodes))
	for to == n.name { // Watch and Serve omit a node's own messages
		to = nodeName(n.random.IntN(nodes))
	}
	return client.SendRequest{
		To:            to,
		Kind:          messageKinds[n.random.IntN(len(messageKinds))],
		Content:       fmt.Sprint(task, " ", string(filler[:n.random.IntN(len(filler))])),
		RelatedTaskID: fmt.Sprint(task),
	}
}

// sendLast sends a node two messages. In Serve, senders in one poll take turns, so the
// first message may overtake earlier ones from other nodes. The second is in a later poll
// than all others.
func (r *run) sendLast(ctx context.Context, n *node) error {
	if err := r.sendOne(ctx, n.name, "last but one"); err != nil {
		return err
	}
	select {
	case <-n.lastButOne:
		return r.sendOne(ctx, n.name, "last")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isLast also notices the last but one.
func (n *node) isLast(m client.MeshMessage) bool {
	if m.FromNode == lastSender && m.GetContent() == "last but one" {
		close(n.lastButOne)
	}
	return m.FromNode == lastSender && m.GetContent() == "last"
}

// sendOne repeats a message with the same idempotency key until it's accepted.
func (r *run) sendOne(ctx context.Context, to, content string) error {
	request := client.SendRequest{To: to, Kind: client.KindStatus, Content: content, IdempotencyKey: content + " for " + to}
	for {
		_, err := r.lastSender.Send(ctx, request)
		var failed *client.MeshGatewayError
		if err == nil || errors.As(err, &failed) && failed.Delivered {
			return nil
		}
		r.lastFailed.Add(1)
		if ctx.Err() != nil {
			return err
		}
	}
}

// pause returns after d, or when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
