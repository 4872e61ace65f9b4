package gatewaytest

import (
	"cmp"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"reflect"
	"slices"
)

// Message operations.
const (
	ListMessages    Operation = "listMessages"
	SendMessage     Operation = "sendMessage"
	MarkMessageRead Operation = "markMessageRead"
)

// threadMessage is a message in GET /threads/{uuid}.
type threadMessage struct {
	ID            int64    `json:"id"`
	FromNode      string   `json:"from_node"`
	ToNode        string   `json:"to_node"`
	Kind          string   `json:"kind"`
	Content       string   `json:"content"`
	RelatedTaskID *big.Int `json:"related_task_id"`
	CreatedAt     string   `json:"created_at"`
}

// message is a message in GET /messages.
type message struct {
	threadMessage

	ThreadID *string `json:"thread_id"`
	ReadAt   *string `json:"read_at"`
	Channel  any     `json:"channel"`  // null
	Mentions any     `json:"mentions"` // null
}

// receipt is the response to POST /messages, which has no content.
func (m *message) receipt() object {
	return object{
		"id": m.ID, "from_node": m.FromNode, "to_node": m.ToNode, "kind": m.Kind,
		"thread_id": m.ThreadID, "created_at": m.CreatedAt,
	}
}

// store adds a message and updates its sender's last_seen.
func (g *Gateway) store(m *message) *message {
	m.ID, m.CreatedAt = int64(len(g.messages))+1, timestamp()
	g.messages = append(g.messages, m)
	g.inboxes[m.ToNode] = append(g.inboxes[m.ToNode], m)
	if p := g.peers[m.FromNode]; p != nil {
		p.LastSeen = m.CreatedAt
	}
	return m
}

func (g *Gateway) listMessages(r *http.Request) (action, []issue) {
	query := r.URL.Query()
	f := queryFields(query)
	unreadOnly, limit := f.boolean("unread_only", false), f.limit(100, 1000)
	return func(*peer) response {
		if channel := query.Get("channel"); channel != "" {
			return unknownChannel(channel)
		}
		if p := g.peers[query.Get("to")]; p != nil {
			p.LastSeen = timestamp()
		}
		rows, all := []message{}, g.messages
		if to := query.Get("to"); to != "" {
			all = g.inboxes[to]
		}
		for _, m := range slices.Backward(all) {
			if int64(len(rows)) == limit {
				break
			}
			if (!unreadOnly || m.ReadAt == nil) && m.matches(query) {
				rows = append(rows, *m)
			}
		}
		if g.bareArrays {
			return ok(rows)
		}
		return ok(object{"messages": rows, "n": len(rows)})
	}, f.issues
}

// matches reports whether m passes the filters. The gateway compares since as text, and
// reads from_node as from. It reads to_node as to as well, but older gateways ignore
// to_node, and this one does too: a client has to send to.
func (m *message) matches(query url.Values) bool {
	from := cmp.Or(query.Get("from"), query.Get("from_node"))
	return (from == "" || from == m.FromNode) && equal(query, "to", &m.ToNode) && equal(query, "kind", &m.Kind) && equal(query, "thread_id", m.ThreadID) &&
		m.CreatedAt > query.Get("since")
}

func (g *Gateway) markMessageRead(r *http.Request) (action, []issue) {
	f := fields{place: "path", values: object{"msg_id": r.PathValue("msg_id")}}
	id := f.integer("msg_id")
	return func(*peer) response {
		if !id.IsInt64() {
			return internalError()
		}
		n := id.Int64()
		if n < 1 || n > int64(len(g.messages)) || g.messages[n-1].ReadAt != nil {
			return refuse(http.StatusNotFound, "message not found or already read")
		}
		now := timestamp()
		g.messages[n-1].ReadAt = &now
		return ok(object{"id": n, "read_at": now})
	}, f.issues
}

// Longest accepted text, in characters.
const (
	maxName       = 64
	maxURL        = 256
	maxContent    = 200_000
	maxKey        = 128
	maxThreadName = 128
)

// receiptKey includes the sender: two senders may use the same key.
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
	return func(caller *peer) response {
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

// refuseMessage refuses an unknown kind, and every message that is not to exactly one
// node.
func refuseMessage(kind string, to, channel, key *string) *response {
	var refusal response
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

// unknownChannel refuses every channel: this gateway does not have channels.
func unknownChannel(name string) response {
	return refuse(http.StatusNotFound, fmt.Sprintf("channel '%s' not found", name))
}

// accept stores a message, or returns the first receipt if the key is already in use. The
// recipient need not be registered.
func (g *Gateway) accept(m *message, sender string, key *string) response {
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

// same ignores fields that the gateway adds.
func (m *message) same(other *message) bool {
	sent := *m
	sent.ID, sent.CreatedAt, sent.ReadAt = other.ID, other.CreatedAt, other.ReadAt
	return reflect.DeepEqual(sent, *other)
}

// storable reports whether the database takes a message: its thread exists and its task
// id fits in 64 bits. The gateway does not check either and answers 500.
func (g *Gateway) storable(m *message) bool {
	return (m.ThreadID == nil || g.threads[*m.ThreadID] != nil) && (m.RelatedTaskID == nil || m.RelatedTaskID.IsInt64())
}
