package client

import (
	"cmp"
	"context"
	"slices"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// Sent returns messages that the client's node has sent, the newest first (GET /messages?from=NODE). FetchOptions.ToNode selects
// the recipient; "" selects all. FromNode must be "" or the client's own node. UnreadOnly selects the messages that their recipients
// have not marked read. The claims of ServeOptions.Lease are left out. The slice is not nil unless there is an error.
//
// The gateway returns only the 1000 newest messages. A request with ToNode counts as a sign of life of that node (LastSeen), as
// every request for its inbox does.
func (c *MeshClient) Sent(ctx context.Context, opts FetchOptions) ([]MeshMessage, error) {
	if err := c.checkSentOptions(ctx, opts); err != nil {
		return nil, err
	}
	return c.sent(ctx, opts)
}

func (c *MeshClient) checkSentOptions(ctx context.Context, opts FetchOptions) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	if err := checkLimit(opts.Limit); err != nil {
		return err
	}
	if from := resolveAlias(c.aliases, opts.FromNode); from != "" && from != c.node {
		return &ValueError{Field: "FromNode", Reason: "must be empty or the client's own node"}
	}
	if err := opts.checkTexts(); err != nil {
		return err
	}
	return c.redactor.checkExtraQuery(opts.Extra)
}

// sent is Sent for valid options. Older gateways ignore the parameters, so the rows are selected again.
func (c *MeshClient) sent(ctx context.Context, opts FetchOptions) ([]MeshMessage, error) {
	params := c.query(opts)
	params.To, params.From = optional(resolveAlias(c.aliases, opts.ToNode)), &c.node
	rows, err := c.list(ctx, opListMessages, params, withParameters(opts.Extra))
	return slices.DeleteFunc(rows, func(m MeshMessage) bool {
		return m.FromNode != c.node || m.ToNode == claimNode && params.To == nil || params.To != nil && m.ToNode != *params.To || opts.Kind != "" && m.Kind != opts.Kind ||
			opts.ThreadID != "" && m.GetThreadID() != opts.ThreadID || opts.UnreadOnly && m.ReadAt != nil
	}), err
}

// Pending returns the questions among the messages of [MeshClient.Sent] that have no answer, the newest first. A question is
// answered by a later message of the kind answer from its recipient in the same thread, or outside of threads if the question has no
// thread. The answer to a question with a number, as [MeshClient.Ask] gives it in a thread, has that number. Without one, any later answer
// without a number counts, which is approximate: it may belong to an earlier question. FetchOptions.Kind must be "" or KindQuestion, and a Limit of 0 means 1000.
//
// It takes two requests. If the inbox has 1000 answers that are newer than a question, one more finds the newest answer from its
// recipient in its thread.
func (c *MeshClient) Pending(ctx context.Context, opts FetchOptions) ([]MeshMessage, error) {
	if err := c.checkSentOptions(ctx, opts); err != nil {
		return nil, err
	}
	if opts.Kind != "" && opts.Kind != KindQuestion {
		return nil, c.redactor.nameError("Kind", string(opts.Kind), "must be empty or question")
	}
	opts.Kind, opts.Limit = KindQuestion, cmp.Or(opts.Limit, maxLimit)
	questions, err := c.sent(ctx, opts)
	if len(questions) == 0 {
		return questions, err
	}
	newest, read := make(map[conversation]int64), make(map[conversation]bool)
	complete, err2 := c.readAnswers(ctx, newest, conversation{node: resolveAlias(c.aliases, opts.ToNode), thread: opts.ThreadID})
	pending := []MeshMessage{}
	for _, q := range questions {
		of := conversationWith(q.ToNode, q)
		if err2 == nil && newest[of] <= q.ID && q.ID < complete && !read[of] {
			_, err2 = c.readAnswers(ctx, newest, of)
			read[of] = true
		}
		if newest[of] <= q.ID {
			pending = append(pending, q)
		}
	}
	if err2 != nil {
		return nil, err2
	}
	return pending, err
}

// readAnswers adds the ids of the newest answers of a conversation, or of all for "", without their contents. It returns the id from which on
// all answers are known.
func (c *MeshClient) readAnswers(ctx context.Context, newest map[conversation]int64, of conversation) (complete int64, err error) {
	op := opListMessages
	op.filter = withoutContents
	rows, err := c.list(ctx, op, &gateway.ListMessagesParams{
		To: &c.node, From: optional(of.node), ThreadID: optional(of.thread), Kind: optional(KindAnswer), Limit: optional(int64(maxLimit)),
	})
	for _, m := range rows {
		if m.Kind == KindAnswer && m.ToNode == c.node {
			of := conversationWith(m.FromNode, m)
			newest[of] = max(newest[of], m.ID)
		}
	}
	if len(rows) >= maxLimit {
		complete = rows[len(rows)-1].ID
	}
	return complete, withoutRowErrors(err)
}
