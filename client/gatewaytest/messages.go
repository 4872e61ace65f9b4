package gatewaytest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"
)

type message struct {
	id             int64
	from, to, kind string
	content        string
	createdAt      string
	readAt         *string
	taskID         *int64
	threadID       *string
	// sent is the request, by which a repeated idempotency key is told from a reused one.
	sent string
}

// receipt is a message as POST /messages answers it, without its content (WIRE.md G7).
func (m *message) receipt() map[string]any {
	return map[string]any{
		"id": m.id, "from_node": m.from, "to_node": m.to, "kind": m.kind,
		"thread_id": m.threadID, "created_at": m.createdAt,
	}
}

// row is a message as GET /messages shows it: the task id as a number, and fields no document lists (WIRE.md G2, G18).
func (m *message) row() map[string]any {
	row := m.receipt()
	row["content"], row["read_at"], row["related_task_id"] = m.content, m.readAt, m.taskID
	row["channel"], row["mentions"] = nil, nil
	return row
}

func (g *Gateway) store(m *message) *message {
	m.id, m.createdAt = int64(len(g.messages))+1, timestamp()
	g.messages = append(g.messages, m)
	g.inboxes[m.to] = append(g.inboxes[m.to], m)
	if p := g.find(m.from); p != nil {
		p.lastSeen = m.createdAt
	}
	return m
}

// The bounds of the recorded gateway (WIRE.md G10, G12 and G19).
const (
	defaultLimit = 100
	maxLimit     = 1000
	maxContent   = 200_000
	maxKey       = 128
)

func (g *Gateway) listMessages(r *http.Request) answer {
	query := r.URL.Query()
	limit, bad := readLimit(query.Get("limit"))
	if bad != nil {
		return *bad
	}
	messages := g.messages // without to it is everybody's mail, which is the trap of WIRE.md G13
	if query.Has("to") {
		messages = g.inboxes[query.Get("to")]
	}
	rows, unreadOnly := []map[string]any{}, query.Get("unread_only") == "true"
	for _, m := range slices.Backward(messages) {
		if len(rows) < limit && (!unreadOnly || m.readAt == nil) {
			rows = append(rows, m.row())
		}
	}
	if g.bareArrays {
		return answer{Status: http.StatusOK, Body: rows}
	}
	return answer{Status: http.StatusOK, Body: map[string]any{"messages": rows, "n": len(rows)}}
}

func readLimit(text string) (int, *answer) {
	if text == "" {
		return defaultLimit, nil
	}
	i := issue{Loc: []any{"query", "limit"}, Input: text}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		i.Type, i.Msg = "int_parsing", "Input should be a valid integer, unable to parse string as an integer"
	case n < 1:
		i.Type, i.Msg, i.Ctx = "greater_than_equal", "Input should be greater than or equal to 1", map[string]any{"ge": 1}
	case n > maxLimit:
		i.Type, i.Msg, i.Ctx = "less_than_equal", "Input should be less than or equal to 1000", map[string]any{"le": maxLimit}
	default:
		return n, nil
	}
	a := invalid(i)
	return 0, &a
}

func (g *Gateway) sendMessage(r *http.Request) answer {
	body, bad := readBody(r)
	if bad != nil {
		return *bad
	}
	m, bad := g.newMessage(body)
	if bad != nil {
		return *bad
	}
	key, _ := body["idempotency_key"].(string)
	if key == "" || g.ignoreKeys {
		return answer{Status: http.StatusOK, Body: g.store(m).receipt()}
	}
	// The same key with the same message brings the first receipt again, with another one a conflict (WIRE.md G10).
	first, known := g.receipts[key]
	if !known {
		first = g.store(m)
		g.receipts[key] = first
	}
	if first.sent != m.sent {
		return refuse(http.StatusConflict, "idempotency_key conflicts with an existing message")
	}
	return answer{Status: http.StatusOK, Body: first.receipt()}
}

// newMessage checks a request the way the recorded gateway does. The recipient need not be registered (WIRE.md G8).
func (g *Gateway) newMessage(body map[string]any) (*message, *answer) {
	text := make(map[string]string)
	for _, field := range []string{"from_node", "to_node", "kind", "content"} {
		value, ok := body[field].(string)
		if !ok {
			a := missing(field, body)
			return nil, &a
		}
		text[field] = value
	}
	canonical, _ := json.Marshal(body) // it was JSON a moment ago
	m := &message{from: text["from_node"], to: text["to_node"], kind: text["kind"], content: text["content"], sent: string(canonical)}
	// The fields are checked before what they mean, as 422 and 400 tell of the recorded gateway.
	for _, check := range []func(*message, map[string]any) *answer{g.checkLengths, checkTask, checkKind, g.checkThread} {
		if bad := check(m, body); bad != nil {
			return nil, bad
		}
	}
	return m, nil
}

func checkKind(m *message, _ map[string]any) *answer {
	if slices.Contains([]string{"answer", "fyi", "question", "status", "unblock"}, m.kind) {
		return nil
	}
	a := refuse(http.StatusBadRequest, "kind must be one of ['answer', 'fyi', 'question', 'status', 'unblock']")
	return &a
}

func (g *Gateway) checkLengths(m *message, body map[string]any) *answer {
	if key, given := body["idempotency_key"].(string); given && !g.ignoreKeys {
		if bad := checkLength("idempotency_key", key, maxKey); bad != nil {
			return bad
		}
	}
	return checkLength("content", m.content, maxContent)
}

func checkLength(field, text string, longest int) *answer {
	i := issue{Loc: []any{"body", field}, Input: text}
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		i.Type, i.Msg, i.Ctx = "string_too_short", "String should have at least 1 character", map[string]any{"min_length": 1}
	case n > longest:
		i.Type, i.Msg = "string_too_long", fmt.Sprintf("String should have at most %d characters", longest)
		i.Ctx = map[string]any{"max_length": longest}
	default:
		return nil
	}
	a := invalid(i)
	return &a
}

// checkTask takes a number, or the text of one (WIRE.md G2).
func checkTask(m *message, body map[string]any) *answer {
	value, given := body["related_task_id"]
	if !given || value == nil {
		return nil
	}
	n, err := strconv.ParseInt(fmt.Sprint(value), 10, 64)
	if err != nil {
		a := invalid(issue{
			Type: "int_parsing", Loc: []any{"body", "related_task_id"}, Input: value,
			Msg: "Input should be a valid integer, unable to parse string as an integer",
		})
		return &a
	}
	m.taskID = &n
	return nil
}

// checkThread fails the way the recorded gateway does: an unknown thread is a server error, in plain text (WIRE.md G9).
func (g *Gateway) checkThread(m *message, body map[string]any) *answer {
	id, given := body["thread_id"].(string)
	if !given {
		return nil
	}
	if !g.threads[id] {
		return &answer{Status: http.StatusInternalServerError, Text: "Internal Server Error"}
	}
	m.threadID = &id
	return nil
}

func (g *Gateway) markMessageRead(r *http.Request) answer {
	text := r.PathValue("msg_id")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return invalid(issue{
			Type: "int_parsing", Loc: []any{"path", "msg_id"}, Input: text,
			Msg: "Input should be a valid integer, unable to parse string as an integer",
		})
	}
	if id < 1 || id > int64(len(g.messages)) || g.messages[id-1].readAt != nil {
		return refuse(http.StatusNotFound, "message not found or already read")
	}
	now := timestamp()
	g.messages[id-1].readAt = &now
	return answer{Status: http.StatusOK, Body: map[string]any{"id": id, "read_at": now}}
}
