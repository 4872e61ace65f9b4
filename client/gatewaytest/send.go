package gatewaytest

import (
	"net/http"
	"slices"
	"strconv"
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
	m := &message{from: f.required("from_node", maxName)}
	to := f.optional("to_node", maxName)
	m.kind, m.content = f.required("kind", 0), f.required("content", maxContent)
	m.threadID, m.taskID = f.optional("thread_id", 0), f.integer("related_task_id")
	var key *string
	if !g.ignoreKeys {
		key = f.optional("idempotency_key", maxKey)
	}
	if to == nil && len(f.issues) == 0 {
		// The real gateway takes a message to a channel instead. There are no channels here.
		f.required("to_node", maxName)
	}
	return func(caller *peer) answer {
		m.to = *to
		sender := m.from
		if caller != nil {
			sender = caller.name
		}
		return g.accept(m, sender, key)
	}, f.issues
}

// accept stores a message, or returns the receipt of the message that was stored under the same key. The recipient need not
// be registered.
func (g *Gateway) accept(m *message, sender string, key *string) answer {
	if !slices.Contains([]string{"answer", "fyi", "question", "status", "unblock"}, m.kind) {
		return refuse(http.StatusBadRequest, "kind must be one of ['answer', 'fyi', 'question', 'status', 'unblock']")
	}
	if key != nil {
		if first := g.receipts[receiptKey{sender, *key}]; first != nil {
			if !first.same(m) {
				return refuse(http.StatusConflict, "idempotency_key conflicts with an existing message")
			}
			return answer{Status: http.StatusOK, Body: first.receipt()}
		}
	}
	if !g.storable(m) {
		return internalError()
	}
	g.store(m)
	if m.threadID != nil {
		t := g.threads[*m.threadID]
		t.messages = append(t.messages, m)
	}
	if key != nil {
		g.receipts[receiptKey{sender, *key}] = m
	}
	return answer{Status: http.StatusOK, Body: m.receipt()}
}

// same reports whether two messages with one key are the same. Fields that are not listed here make no difference.
func (m *message) same(other *message) bool {
	return m.from == other.from && m.to == other.to && m.kind == other.kind && m.content == other.content &&
		m.taskID == other.taskID && (m.threadID == nil) == (other.threadID == nil) &&
		(m.threadID == nil || *m.threadID == *other.threadID)
}

// storable reports whether the database takes a message: its thread exists and its task id has 64 bits. The gateway does not
// check either and answers 500.
func (g *Gateway) storable(m *message) bool {
	if m.threadID != nil && g.threads[*m.threadID] == nil {
		return false
	}
	_, err := strconv.ParseInt(m.taskID.String(), 10, 64)
	return m.taskID == "" || err == nil
}
