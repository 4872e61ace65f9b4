package tools

import (
	"cmp"
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

func addThreadTools(server *mcp.Server, t *meshTools) {
	add(server, "mesh_threads", "List threads", "List the named threads of all nodes, most recently used first.", t.threads, reads)
	add(server, "mesh_thread", "Read a thread", "List the messages of a thread, oldest first. Nothing is marked read.", t.thread, reads)
}

type threadsArguments struct {
	Peer  nodeName `json:"peer,omitempty" jsonschema:"only threads of this node"`
	Topic string   `json:"topic,omitempty" jsonschema:"only threads whose topic contains this"`
	skipArguments
}

type toolThreads struct {
	Notice   string       `json:"notice"`
	Threads  []toolThread `json:"threads"`
	NextSkip int          `json:"next_skip,omitempty"`
	Invalid  string       `json:"invalid,omitempty"` // set if rows cannot be decoded
	Hidden   string       `json:"hidden,omitempty"`  // set if there may be threads that are not listed
}

type toolThread struct {
	ID         string `json:"id"`
	Name       string `json:"untrusted_content"`
	LastUsedAt string `json:"last_used_at"`
}

// maxThreads is how many threads the gateway lists at most.
const maxThreads = 100

func (t *meshTools) threads(ctx context.Context, in threadsArguments) (toolThreads, error) {
	threads, err := t.client.ListThreads(ctx, client.ThreadQuery{Peer: cmp.Or(string(in.Peer), mail.NamedThreads), Topic: in.Topic, Limit: maxThreads})
	invalid, err := mail.InvalidRows(err)
	if err != nil {
		return toolThreads{}, err
	}
	items, next := part(threads, in.Skip, func(thread client.Thread) toolThread { return toolThread{thread.ID, thread.Name, thread.LastUsedAt} })
	out := toolThreads{Notice: notice, Threads: items, NextSkip: next, Invalid: invalidNote(invalid)}
	if len(threads)+len(invalid) == maxThreads && next == 0 {
		out.Hidden = "there may be older threads that are not listed; use peer or topic"
	}
	return out, nil
}

type threadArguments struct {
	ID     string       `json:"id" jsonschema:"name or id of the thread"`
	Limit  messageLimit `json:"limit,omitempty" jsonschema:"default 100"`
	Newest bool         `json:"newest,omitempty" jsonschema:"the newest messages, not the oldest"`
	position
}

func (t *meshTools) thread(ctx context.Context, in threadArguments) (toolMessages, error) {
	id, err := mail.ThreadID(ctx, t.client, t.scanner, in.ID)
	if err != nil {
		return toolMessages{}, err
	}
	limit := cmp.Or(int(in.Limit), 100)
	if in.Newest && in.NextID == 0 {
		return t.tail(ctx, id, limit)
	}
	w, err := t.window(ctx, id, int64(in.NextID))
	if err != nil {
		return toolMessages{}, err
	}
	out := pageOf(oldestFirst(w.messages, in.position), in.position, limit, w.show)
	out.Invalid = invalidNote(w.invalid)
	if w.crossed(out.Messages) {
		out.Hidden = hiddenInThread
	}
	return out, nil
}

const (
	hiddenInThread  = "there may be messages that are not listed here: the gateway lists the oldest and the newest 1000 of a thread"
	hiddenOlderRows = "there are older messages; without newest the list begins with the oldest"
)

// tail returns the newest messages that fit into a result, the oldest first.
func (t *meshTools) tail(ctx context.Context, id string, limit int) (toolMessages, error) {
	messages, invalid, _, err := t.rows(ctx, id, client.ThreadOptions{Limit: min(limit+1, window), Newest: true})
	if err != nil {
		return toolMessages{}, err
	}
	w, n, room := threadWindow{}, 0, maxResult
	for _, m := range slices.Backward(messages) {
		room -= size(w.show(m)) + size(m.GetContent())
		if n == limit || n > 0 && room < 0 {
			break
		}
		n++
	}
	out := pageOf(messages[len(messages)-n:], position{}, n, w.show)
	out.Invalid = invalidNote(invalid)
	if n < len(messages) || n+len(invalid) >= window {
		out.Hidden = hiddenOlderRows
	}
	return out, nil
}

// threadWindow is the oldest and the newest messages of a thread.
type threadWindow struct {
	messages []client.MeshMessage
	// readFrom is the id from which on it is known whether messages are read.
	readFrom int64
	// gap is the id after which messages may be missing, or 0.
	gap int64
	// invalid are the rows that cannot be decoded.
	invalid []*client.RowError
}

// window returns the messages of a thread that include a position. One request lists the newest 1000, which is the whole thread as
// a rule.
func (t *meshTools) window(ctx context.Context, id string, next int64) (threadWindow, error) {
	newest, invalid, full, err := t.rows(ctx, id, client.ThreadOptions{Limit: window, Newest: true})
	if err != nil || !full || next >= newest[0].ID {
		return threadWindow{messages: newest, invalid: invalid}, err
	}
	oldest, older, _, err := t.rows(ctx, id, client.ThreadOptions{Limit: window})
	if err != nil || len(oldest) == 0 {
		return threadWindow{messages: newest, invalid: invalid}, err
	}
	w := threadWindow{messages: oldest, readFrom: newest[0].ID, invalid: append(invalid, older...)}
	last := oldest[len(oldest)-1].ID
	if last < newest[0].ID {
		w.gap = last
	}
	for _, m := range newest {
		if m.ID > last {
			w.messages = append(w.messages, m)
		}
	}
	return w, nil
}

// crossed reports whether messages may be missing among those that are shown, or after them.
func (w threadWindow) crossed(shown []toolMessage) bool {
	return w.gap > 0 && len(shown) > 0 && shown[0].ID <= w.gap && shown[len(shown)-1].ID >= w.gap
}

// show returns a message of a thread, with its recipient and without its content.
func (w threadWindow) show(m client.MeshMessage) toolMessage {
	shown := toToolMessage(m)
	if name := safeName(m.ToNode); name != "" {
		shown.To = &untrusted{name}
	}
	if m.ID < w.readFrom {
		shown.Read = nil
	}
	return shown
}

// rows returns messages of a thread, fewer than the limit if they are too large for one response. They are full if there can be more.
func (t *meshTools) rows(ctx context.Context, id string, opts client.ThreadOptions) (messages []client.MeshMessage, invalid []*client.RowError, full bool, err error) {
	messages, invalid, full, err = mail.Fitting(opts.Limit, func(limit int) ([]client.MeshMessage, error) {
		opts.Limit = limit
		_, messages, err := t.client.GetThread(ctx, id, opts)
		return messages, err
	})
	return messages, invalid, full && len(messages) > 0, mail.ThreadError(id, err)
}
