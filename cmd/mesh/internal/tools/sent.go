package tools

import (
	"cmp"
	"context"
	"slices"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

type sentArguments struct {
	To     nodeName     `json:"to,omitempty" jsonschema:"only messages to this node"`
	Thread string       `json:"thread,omitempty" jsonschema:"only messages of this thread, by name or id"`
	Limit  messageLimit `json:"limit,omitempty" jsonschema:"default 20"`
	position
}

// sent lists the messages of this node, newest first.
func (t *meshTools) sent(ctx context.Context, in sentArguments) (toolMessages, error) {
	thread, err := mail.ThreadID(ctx, t.client, t.scanner, in.Thread)
	if err != nil {
		return toolMessages{}, err
	}
	messages, err := t.client.Sent(ctx, client.SentOptions{ToNode: string(in.To), ThreadID: thread})
	invalid, err := mail.InvalidRows(err)
	if err != nil {
		return toolMessages{}, err
	}
	out := page(newestFirst(messages, in.position), in.position, cmp.Or(int(in.Limit), 20), withRecipient)
	out.Invalid = invalidNote(invalid)
	return out, nil
}

type pendingArguments struct {
	To     nodeName `json:"to,omitempty" jsonschema:"only questions to this node"`
	Thread string   `json:"thread,omitempty" jsonschema:"only questions of this thread, by name or id"`
	skipArguments
}

type toolPending struct {
	Notice   string         `json:"notice"`
	Pending  []toolQuestion `json:"pending"`
	NextSkip int            `json:"next_skip,omitempty"`
	Invalid  string         `json:"invalid,omitempty"` // set if rows cannot be decoded
}

// unanswered lists the questions of this node without an answer, newest first.
func (t *meshTools) unanswered(ctx context.Context, in pendingArguments) (toolPending, error) {
	thread, err := mail.ThreadID(ctx, t.client, t.scanner, in.Thread)
	if err != nil {
		return toolPending{}, err
	}
	questions, err := agent.Pending(ctx, t.client, agent.PendingOptions{ToNode: string(in.To), ThreadID: thread})
	invalid, err := mail.InvalidRows(err)
	if err != nil {
		return toolPending{}, err
	}
	questions = slices.DeleteFunc(questions, func(q client.MeshMessage) bool { return safeName(q.ToNode) == nil }) // nobody can answer it
	items, next := part(questions, in.Skip, func(q client.MeshMessage) toolQuestion { return toToolQuestion(q, q.GetContent()) })
	return toolPending{notice, items, next, invalidNote(invalid)}, nil
}
