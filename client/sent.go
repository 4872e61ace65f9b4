package client

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// SentOptions selects the messages that [MeshClient.Sent] returns. The zero value selects all.
type SentOptions struct {
	// ToNode is the name or alias of the recipient; "" selects all.
	ToNode string
	// UnreadOnly excludes messages that their recipients have marked read.
	UnreadOnly bool
	// Kind, ThreadID, Since, Limit and Extra are as in [FetchOptions].
	Kind     Kind
	ThreadID string
	Since    string
	Limit    int
	Extra    url.Values
}

// PendingOptions selects the questions that [MeshClient.Pending] looks at. The zero value selects all.
type PendingOptions struct {
	// ToNode is the name or alias of the recipient; "" selects all.
	ToNode string
	// UnreadOnly excludes questions that their recipients have marked read.
	UnreadOnly bool
	// ThreadID, Since and Extra are as in [FetchOptions].
	ThreadID string
	Since    string
	Extra    url.Values
	// Limit is the maximum number of questions, 1 to 1000; 0 means 1000.
	Limit int
}

// Sent returns messages that the client's node has sent, the newest first (GET /messages?from=NODE). The claims of
// ServeOptions.Lease are left out. The slice is not nil unless there is an error.
//
// The gateway returns only the 1000 newest messages. If claims fill its list, each kind is
// listed by itself. A request with ToNode counts as a sign of life of that node (LastSeen), as
// every request for its inbox does.
func (c *MeshClient) Sent(ctx context.Context, opts SentOptions) ([]MeshMessage, error) {
	selected := FetchOptions{
		ToNode: opts.ToNode, UnreadOnly: opts.UnreadOnly, Kind: opts.Kind, ThreadID: opts.ThreadID, Since: opts.Since, Limit: opts.Limit, Extra: opts.Extra,
	}
	params, extra, err := c.checkFetch(ctx, selected)
	if err != nil {
		return nil, err
	}
	params.To, params.From = optional(resolveAlias(c.aliases, opts.ToNode)), &c.node
	rows, err := c.list(ctx, opListMessages, params, extra)
	limit := cmp.Or(opts.Limit, defaultLimit)
	full := len(rows)+len(rowErrors(err)) >= limit
	if !full || params.To != nil || !slices.ContainsFunc(rows, isClaim) {
		limit = len(rows)
	} else if rows, err = c.behindClaims(ctx, *params, extra); rows == nil {
		return nil, err
	}
	// Older gateways ignore the parameters, so the rows are selected again.
	rows = slices.DeleteFunc(rows, func(m MeshMessage) bool {
		return m.FromNode != c.node || isClaim(m) && params.To == nil || params.To != nil && m.ToNode != *params.To ||
			!c.selects(selected, m) || opts.UnreadOnly && m.ReadAt != nil
	})
	return rows[:min(len(rows), limit)], err
}

// defaultLimit is the gateway's limit of a list of messages.
const defaultLimit = 100

// isClaim reports whether a message is a claim, which no node receives.
func isClaim(m MeshMessage) bool { return m.ToNode == claimNode }

// behindClaims lists each kind by itself, since the gateway cannot leave claims out: they
// fill the lists of all kinds and of status messages.
func (c *MeshClient) behindClaims(ctx context.Context, params gateway.ListMessagesParams, edit gateway.RequestEditorFn) (all []MeshMessage, err error) {
	kinds := []Kind{KindFYI, KindQuestion, KindAnswer, KindStatus, KindUnblock}
	if params.Kind != nil {
		kinds = []Kind{*params.Kind}
	}
	all = []MeshMessage{}
	for _, kind := range kinds {
		of := params
		if of.Kind = &kind; kind == KindStatus {
			of.Limit = optional(int64(maxLimit))
		}
		rows, failed := c.list(ctx, opListMessages, &of, edit)
		if withoutRowErrors(failed) != nil {
			return nil, failed
		}
		all, err = append(all, rows...), errors.Join(err, failed)
	}
	slices.SortFunc(all, func(a, b MeshMessage) int { return cmp.Compare(b.ID, a.ID) })
	return slices.CompactFunc(all, func(a, b MeshMessage) bool { return keyOf(a) == keyOf(b) }), err
}

// Pending returns the questions among the messages of [MeshClient.Sent] that have no answer, the newest first. A question is
// answered by a later message of the kind answer from its recipient in the same thread, or outside of threads if the question has no
// thread. The answer to a question with a number, as [MeshClient.Ask] gives it in a thread, has that number. Without one, any later answer
// without a number counts, which is approximate: it may belong to an earlier question.
//
// It takes two requests. If the inbox has 1000 answers that are newer than a question, one more finds the newest answer from its
// recipient in its thread.
func (c *MeshClient) Pending(ctx context.Context, opts PendingOptions) ([]MeshMessage, error) {
	questions, err := c.Sent(ctx, SentOptions{
		ToNode: opts.ToNode, UnreadOnly: opts.UnreadOnly, Kind: KindQuestion, ThreadID: opts.ThreadID, Since: opts.Since,
		Limit: cmp.Or(opts.Limit, maxLimit), Extra: opts.Extra,
	})
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
