package gatewaytest

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
)

// The longest texts that the gateway accepts, in characters.
const (
	maxName       = 64
	maxURL        = 256
	maxContent    = 200_000
	maxKey        = 128
	maxThreadName = 128
)

// receiptKey is an idempotency key. Two senders may use the same key.
type receiptKey struct{ sender, key string }

func (g *Gateway) sendMessage(r *http.Request) (action, []issue) {
	f := readBody(r)
	m := &message{}
	m.FromNode = f.required("from_node", maxName)
	to, channel := f.optional("to_node", maxName), f.optional("channel", maxName)
	m.Kind, m.Content = f.required("kind", 0), f.required("content", maxContent)
	var key *string
	if !g.ignoreKeys {
		key = f.optional("idempotency_key", maxKey)
	}
	m.ThreadID, m.RelatedTaskID = f.optional("thread_id", 0), f.integer("related_task_id")
	f.list("mentions")
	return func(caller *peer) answer {
		if refusal := refuseMessage(m.Kind, to, channel, key); refusal != nil {
			return *refusal
		}
		m.ToNode = *to
		sender := m.FromNode
		if caller != nil {
			sender = caller.Name
		}
		return g.accept(m, sender, key)
	}, f.issues
}

// refuseMessage refuses an unknown kind, and every message that is not to exactly one node.
func refuseMessage(kind string, to, channel, key *string) *answer {
	var refusal answer
	switch {
	case !slices.Contains([]string{"answer", "fyi", "question", "status", "unblock"}, kind):
		refusal = refuse(http.StatusBadRequest, "kind must be one of ['answer', 'fyi', 'question', 'status', 'unblock']")
	case (to == nil) == (channel == nil):
		refusal = refuse(http.StatusBadRequest, "exactly one of {to_node, channel} is required")
	case channel != nil && key != nil:
		refusal = refuse(http.StatusBadRequest, "idempotency_key is supported for DMs only")
	case channel != nil:
		refusal = unknownChannel(*channel)
	default:
		return nil
	}
	return &refusal
}

// unknownChannel refuses a channel. This gateway has none.
func unknownChannel(name string) answer {
	return refuse(http.StatusNotFound, fmt.Sprintf("channel '%s' not found", name))
}

// accept stores a message, or returns the receipt of the message that was stored under the same key. The recipient need not
// be registered.
func (g *Gateway) accept(m *message, sender string, key *string) answer {
	if key != nil {
		if first := g.receipts[receiptKey{sender, *key}]; first != nil {
			if !first.same(m) {
				return refuse(http.StatusConflict, "idempotency_key conflicts with an existing message")
			}
			return ok(first.receipt())
		}
	}
	if !g.storable(m) {
		return internalError()
	}
	g.store(m)
	if key != nil {
		g.receipts[receiptKey{sender, *key}] = m
	}
	return ok(m.receipt())
}

// same reports whether two messages with one key are the same. What the gateway adds makes no difference.
func (m *message) same(other *message) bool {
	sent := *m
	sent.ID, sent.CreatedAt, sent.ReadAt = other.ID, other.CreatedAt, other.ReadAt
	return reflect.DeepEqual(sent, *other)
}

// storable reports whether the database takes a message: its thread exists and its task id has 64 bits. The gateway does not
// check either and answers 500.
func (g *Gateway) storable(m *message) bool {
	return (m.ThreadID == nil || g.threads[*m.ThreadID] != nil) && (m.RelatedTaskID == nil || m.RelatedTaskID.IsInt64())
}
