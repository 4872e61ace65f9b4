package tools

import (
	"cmp"
	"context"
	"slices"

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

// thread lists messages of a thread. One request lists the newest 1000, which is the whole thread as a rule.
func (t *meshTools) thread(ctx context.Context, in threadArguments) (out toolMessages, err error) {
	id, err := mail.ThreadID(ctx, t.client, t.scanner, in.ID)
	if err != nil {
		return out, err
	}
	newest, invalid, full, err := t.rows(ctx, id, client.ThreadOptions{Limit: window, Newest: true})
	if err != nil {
		return out, err
	}
	limit := cmp.Or(int(in.Limit), 100)
	switch {
	case in.Newest && in.NextID == 0:
		out = page(newestFirst(newest, position{}), position{}, limit, withRecipient)
		slices.Reverse(out.Messages)
		if out.NextOffset == 0 {
			out.NextID = 0 // no page has the older ones
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
	hiddenOlderRows = "there are older messages; without newest the list begins with the oldest"
)

// before returns a page of the oldest messages of a thread, those before the first of the newest, which are the pages after it. The gateway
// does not list whether the oldest are read.
func (t *meshTools) before(ctx context.Context, id string, first int64, from position, limit int) (toolMessages, []*client.RowError, error) {
	oldest, invalid, _, err := t.rows(ctx, id, client.ThreadOptions{Limit: window})
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

// withRecipient returns a message with its recipient and without its content.
func withRecipient(m client.MeshMessage) toolMessage {
	shown := toToolMessage(m)
	shown.To = safeName(m.ToNode)
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
