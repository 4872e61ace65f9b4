package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

type threadsArguments struct {
	Peer  nodeName `json:"peer,omitempty" jsonschema:"only threads of this node"`
	Topic string   `json:"topic,omitempty" jsonschema:"only threads whose topic contains this"`
	skipArguments
}

type toolThreads struct {
	Notice   string       `json:"notice"`
	Threads  []toolThread `json:"threads"`
	NextSkip int          `json:"next_skip,omitempty"`
	Invalid  string       `json:"invalid,omitempty"` // set if there are invalid rows
	Hidden   string       `json:"hidden,omitempty"`  // set if some threads may be missing
}

type toolThread struct {
	ID         string `json:"id"`
	Name       string `json:"untrusted_content"`
	LastUsedAt string `json:"last_used_at"`
}

// maxThreads is the gateway's limit.
const maxThreads = 100

func (t *meshTools) threads(ctx context.Context, in threadsArguments) (toolThreads, error) {
	threads, err := t.client.ListThreads(ctx, client.ListThreadsOptions{Peer: cmp.Or(string(in.Peer), mail.NamedThreads), Topic: in.Topic, Limit: maxThreads})
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

// thread requests the newest 1000 messages first: usually that's the whole thread.
func (t *meshTools) thread(ctx context.Context, in threadArguments) (out toolMessages, err error) {
	id, err := mail.ThreadID(ctx, t.client, t.scanner, in.ID)
	if err != nil {
		return out, err
	}
	newest, invalid, full, err := t.rows(ctx, id, client.GetThreadOptions{Limit: window, Newest: true})
	if err != nil {
		return out, err
	}
	limit := cmp.Or(int(in.Limit), 100)
	switch {
	case in.Newest && in.NextID == 0:
		out = page(newestFirst(newest, position{}), position{}, limit, withRecipient)
		slices.Reverse(out.Messages)
		if out.NextOffset == 0 {
			out.NextID = 0 // older messages have no page
		}
		if full || len(out.Messages) < len(newest) {
			out.Hidden = hiddenOlderRows
		}
	case full && in.NextID < newest[0].ID:
		var older []*client.RowError
		out, older, err = t.before(ctx, id, newest[0].ID, in.position, limit)
		invalid = append(invalid, older...)
	default:
		out = page(oldestFirst(newest, in.position), in.position, limit, withRecipient)
	}
	out.Invalid = invalidNote(invalid)
	return out, err
}

const (
	hiddenInThread  = "there may be messages that are not listed here: the gateway lists the oldest and the newest 1000 of a thread"
	hiddenOlderRows = "there are older messages; omit newest to list from the oldest"
)

// before returns messages older than first, which is the oldest in the newest 1000. The
// gateway doesn't say whether these are read.
func (t *meshTools) before(ctx context.Context, id string, first int64, from position, limit int) (toolMessages, []*client.RowError, error) {
	oldest, invalid, _, err := t.rows(ctx, id, client.GetThreadOptions{Limit: window})
	if err != nil {
		return toolMessages{}, nil, err
	}
	oldest = oldestFirst(oldest, from)
	older := slices.DeleteFunc(oldest, func(m client.MeshMessage) bool { return m.ID >= first })
	out := page(older, from, limit, func(m client.MeshMessage) toolMessage {
		shown := withRecipient(m)
		shown.Read = nil
		return shown
	})
	if out.NextID == 0 {
		out.NextID = first
		if len(older) == len(oldest) {
			out.Hidden = hiddenInThread
		}
	}
	return out, invalid, nil
}

// withRecipient leaves Content empty, as [toToolMessage] does.
func withRecipient(m client.MeshMessage) toolMessage {
	shown := toToolMessage(m)
	shown.To = safeName(m.ToNode)
	return shown
}

// rows returns fewer messages than the limit if they are too large for one response. full
// means that there can be more.
func (t *meshTools) rows(ctx context.Context, id string, opts client.GetThreadOptions) (messages []client.MeshMessage, invalid []*client.RowError, full bool, err error) {
	messages, invalid, full, err = mail.Fitting(opts.Limit, func(limit int) ([]client.MeshMessage, error) {
		opts.Limit = limit
		_, messages, err := t.client.GetThread(ctx, id, opts)
		return messages, err
	})
	return messages, invalid, full && len(messages) > 0, mail.ThreadError(id, err)
}

// maxResult bounds a result's JSON, roughly, in characters: MCP clients cut or refuse
// more, and agents pay for each.
const maxResult = 20_000

// part returns the items after skip that fit into a result, and the next skip, or 0 at
// the end.
func part[T, U any](rows []T, skip int, shown func(T) U) (items []U, nextSkip int) {
	items = []U{}
	room := maxResult
	for i := max(skip, 0); i < len(rows); i++ {
		item := shown(rows[i])
		if room -= size(item); room < 0 && len(items) > 0 {
			return items, i
		}
		items = append(items, item)
	}
	return items, 0
}

// size counts a value's characters as JSON.
func size(value any) int {
	text, err := json.Marshal(value)
	if err != nil {
		return maxResult
	}
	return utf8.RuneCount(text)
}

// fitting returns how many bytes fit into room characters as JSON.
func fitting(text string, room int) int {
	if len(text)*len(`\u0000`) <= room {
		return len(text)
	}
	for i, r := range text {
		if room -= size(string(r)) - len(`""`); room < 0 {
			return i
		}
	}
	return len(text)
}

// position is where the next page starts: a byte offset in a message.
type position struct {
	NextID     int64 `json:"next_id,omitempty" jsonschema:"from the previous result, to continue"`
	NextOffset int   `json:"next_offset,omitempty" jsonschema:"from the previous result, to continue"`
}

// page returns messages from a position on, bounded by limit and by the size of a result.
// If even a single content is too long, page cuts it, and the next page continues. show
// leaves Content empty.
func page(messages []client.MeshMessage, from position, limit int, show func(client.MeshMessage) toolMessage) toolMessages {
	out := toolMessages{Notice: notice, Messages: []toolMessage{}}
	room := maxResult
	for i, m := range messages {
		offset := 0
		if m.ID == from.NextID {
			offset = min(max(from.NextOffset, 0), len(m.GetContent()))
		}
		shown := show(m)
		rest := m.GetContent()[offset:]
		room -= size(shown)
		end := fitting(rest, room)
		if i == limit || i > 0 && (room < 0 || end < len(rest)) {
			out.NextID = m.ID
			return out
		}
		shown.Content = rest[:end]
		out.Messages = append(out.Messages, shown)
		if end < len(rest) {
			out.NextID, out.NextOffset = m.ID, offset+end
			return out
		}
		room -= size(shown.Content)
	}
	return out
}

// oldestFirst sorts, and skips messages before a position.
func oldestFirst(messages []client.MeshMessage, from position) []client.MeshMessage {
	slices.SortStableFunc(messages, func(a, b client.MeshMessage) int { return cmp.Compare(a.ID, b.ID) })
	return slices.DeleteFunc(messages, func(m client.MeshMessage) bool { return m.ID < from.NextID })
}

// newestFirst is [oldestFirst] in reverse.
func newestFirst(messages []client.MeshMessage, from position) []client.MeshMessage {
	slices.SortStableFunc(messages, func(a, b client.MeshMessage) int { return cmp.Compare(b.ID, a.ID) })
	return slices.DeleteFunc(messages, func(m client.MeshMessage) bool { return from.NextID != 0 && m.ID > from.NextID })
}

type skipArguments struct {
	Skip int `json:"skip,omitempty" jsonschema:"next_skip from the previous result"`
}

type toolPeers struct {
	Notice   string     `json:"notice"`
	Peers    []toolPeer `json:"peers"`
	NextSkip int        `json:"next_skip,omitempty"`
	Invalid  string     `json:"invalid,omitempty"`
}

type toolPeer struct {
	Content  toolNode `json:"untrusted_content"`
	LastSeen string   `json:"last_seen,omitempty"`
}

type toolNode struct {
	Name         string `json:"name"`
	Capabilities string `json:"capabilities,omitempty"` // JSON, possibly cut
}

func (t *meshTools) peers(ctx context.Context, in skipArguments) (toolPeers, error) {
	peers, err := t.client.ListPeers(ctx)
	invalid, err := mail.InvalidRows(err)
	if err != nil {
		return toolPeers{}, err
	}
	peers = slices.DeleteFunc(peers, func(p client.MeshPeer) bool { return safeName(p.Name) == nil }) // not a valid recipient
	items, next := part(peers, in.Skip, func(p client.MeshPeer) toolPeer { return toolPeer{toolNode{p.Name, capabilities(p)}, p.GetLastSeen()} })
	return toolPeers{notice, items, next, invalidNote(invalid)}, nil
}

// maxCapabilities is in characters.
const maxCapabilities = 300

func capabilities(p client.MeshPeer) string {
	text, err := json.Marshal(p.Capabilities)
	if err != nil || len(p.Capabilities) == 0 {
		return ""
	}
	if end := fitting(string(text), maxCapabilities); end < len(text) {
		return string(text[:end]) + "…"
	}
	return string(text)
}
