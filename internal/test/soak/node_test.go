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

// node is one program on the mesh.
type node struct {
	t        *testing.T
	name     string
	client   *client.MeshClient
	gateway  *process
	ledger   *ledger
	interval time.Duration
	random   *rand.Rand // used by the sender
	window   chan struct{}
	// lastButOne is closed when the last message but one arrives.
	lastButOne chan struct{}
	// receive receives until the last message has arrived.
	receive func(context.Context)
}

const (
	// windowSize is the number of unread messages allowed for one sender. All windows together are smaller than the 1,000 rows of
	// a poll, so that no inbox overflows even if all nodes write to one.
	windowSize = 4
	// workers is the number of concurrent MarkRead calls or handlers of a node. With the sender and the watcher this is the
	// largest number of concurrent requests of a client.
	workers     = 2
	concurrency = workers + 2
	// goroutinesPerNode are the sender, the watcher and the workers.
	goroutinesPerNode = workers + 2
	// lastSender sends the last message to every node.
	lastSender = "last-sender"
)

// tasksPerNode separates the task ids of the nodes.
const tasksPerNode = 1_000_000

// taskNode returns the number of the node that sends a task.
func taskNode(task string) int {
	n, _ := strconv.Atoi(task)
	return n / tasksPerNode
}

// send sends until stop is closed, and completes the message in progress.
func (n *node) send(ctx context.Context, stop <-chan struct{}, firstTask, nodes int) {
	for i := 1; ; i++ {
		select {
		case n.window <- struct{}{}:
		case <-stop:
			return
		}
		select {
		case <-stop: // select chooses at random if both are ready
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
	for to == n.name { // Watch and Serve omit the own messages
		to = nodeName(n.random.IntN(nodes))
	}
	return client.SendRequest{
		To:            to,
		Kind:          messageKinds[n.random.IntN(len(messageKinds))],
		Content:       fmt.Sprint(task, " ", string(filler[:n.random.IntN(len(filler))])),
		RelatedTaskID: fmt.Sprint(task),
	}
}

// sendLast sends a node two messages. The second one is in a later poll than all others: the senders of a poll take turns with Serve, so
// that the first one may be handed over before earlier messages of others.
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

// isLast reports whether a message is the last one, and notes the last but one.
func (n *node) isLast(m client.MeshMessage) bool {
	if m.FromNode == lastSender && m.GetContent() == "last but one" {
		close(n.lastButOne)
	}
	return m.FromNode == lastSender && m.GetContent() == "last"
}

// sendOne sends a message to a node, with one idempotency key, until it is accepted.
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
