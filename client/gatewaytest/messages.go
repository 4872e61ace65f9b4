package gatewaytest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
)

// Operations of messages.
const (
	ListMessages    Operation = "listMessages"
	SendMessage     Operation = "sendMessage"
	MarkMessageRead Operation = "markMessageRead"
)

type message struct {
	id             int64
	from, to, kind string
	content        string
	createdAt      string
	readAt         *string
	taskID         json.Number // "" for none
	threadID       *string
}

// receipt is a message as POST /messages answers it, without its content.
func (m *message) receipt() object {
	return object{
		"id": m.id, "from_node": m.from, "to_node": m.to, "kind": m.kind,
		"thread_id": m.threadID, "created_at": m.createdAt,
	}
}

// threadRow is a message as GET /threads/{uuid} lists it.
type threadRow struct {
	ID            int64        `json:"id"`
	FromNode      string       `json:"from_node"`
	ToNode        string       `json:"to_node"`
	Kind          string       `json:"kind"`
	Content       string       `json:"content"`
	RelatedTaskID *json.Number `json:"related_task_id"`
	CreatedAt     string       `json:"created_at"`
}

func (m *message) threadRow() threadRow {
	row := threadRow{ID: m.id, FromNode: m.from, ToNode: m.to, Kind: m.kind, Content: m.content, CreatedAt: m.createdAt}
	if m.taskID != "" {
		row.RelatedTaskID = &m.taskID
	}
	return row
}

// row is a message as GET /messages lists it.
type row struct {
	threadRow
	ThreadID *string `json:"thread_id"`
	ReadAt   *string `json:"read_at"`
	Channel  any     `json:"channel"`  // null
	Mentions any     `json:"mentions"` // null
}

func (m *message) row() row {
	return row{threadRow: m.threadRow(), ThreadID: m.threadID, ReadAt: m.readAt}
}

// store adds a message and moves the last_seen of its sender.
func (g *Gateway) store(m *message) *message {
	m.id, m.createdAt = int64(len(g.messages))+1, timestamp()
	g.messages = append(g.messages, m)
	if p := g.peers[m.from]; p != nil {
		p.lastSeen = m.createdAt
	}
	return m
}

func (g *Gateway) listMessages(r *http.Request) (action, []issue) {
	f := queryFields{query: r.URL.Query()}
	unreadOnly, limit := f.boolean("unread_only", false), f.limit(100, 1000)
	return func(*peer) answer {
		if channel := f.query.Get("channel"); channel != "" {
			return unknownChannel(channel)
		}
		if p := g.peers[f.query.Get("to")]; p != nil {
			p.lastSeen = timestamp()
		}
		rows := []row{}
		for _, m := range slices.Backward(g.messages) {
			if int64(len(rows)) == limit {
				break
			}
			if m.matches(f.query) && (!unreadOnly || m.readAt == nil) {
				rows = append(rows, m.row())
			}
		}
		if g.bareArrays {
			return ok(rows)
		}
		return ok(object{"messages": rows, "n": len(rows)})
	}, f.issues
}

// matches reports whether the filters let a message pass. The gateway compares since as text, and reads from_node as from.
// It reads to_node as to as well, but older gateways ignore to_node, and this one does too: a client has to send to.
func (m *message) matches(query url.Values) bool {
	from := cmp.Or(query.Get("from"), query.Get("from_node"))
	return (from == "" || from == m.from) && equal(query, "to", &m.to) && equal(query, "kind", &m.kind) && equal(query, "thread_id", m.threadID) &&
		m.createdAt > query.Get("since")
}

func (g *Gateway) markMessageRead(r *http.Request) (action, []issue) {
	id, bad := parseInteger(r.PathValue("msg_id"))
	if bad != nil {
		bad.Loc = []any{"path", "msg_id"}
		return nil, []issue{*bad}
	}
	return func(*peer) answer {
		if !id.IsInt64() {
			return internalError()
		}
		n := id.Int64()
		if n < 1 || n > int64(len(g.messages)) || g.messages[n-1].readAt != nil {
			return refuse(http.StatusNotFound, "message not found or already read")
		}
		now := timestamp()
		g.messages[n-1].readAt = &now
		return ok(object{"id": n, "read_at": now})
	}, nil
}
