package agent

import (
	"cmp"
	"context"
	"net/url"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
)

// PendingOptions selects the questions that [Pending] looks at. The zero value selects
// all.
type PendingOptions struct {
	// ToNode is the recipient's name or alias; "" selects all.
	ToNode string
	// UnreadOnly excludes questions that their recipients have marked read.
	UnreadOnly bool
	// ThreadID, Since and Extra are as in [client.FetchOptions].
	ThreadID string
	Since    string
	Extra    url.Values
	// Limit is the maximum number of questions, 1 to 1000; 0 means 1000.
	Limit int
}

// Pending returns the questions in [client.MeshClient.Sent] that have no answer, the
// newest first. An answer is a later message from the recipient, with kind answer, in the
// same thread (or both outside threads). If the question has a number (see [Ask]), the
// answer must have it, too. Otherwise any later answer without a number counts, even if
// it belongs to an earlier question.
//
// Pending sends two requests. If the inbox has 1000 answers newer than a question, it
// sends one more for that recipient and thread.
func Pending(ctx context.Context, c *client.MeshClient, opts PendingOptions) ([]client.MeshMessage, error) {
	n, err := newNode(ctx, c)
	if err != nil {
		return nil, err
	}
	questions, err := c.Sent(ctx, client.SentOptions{
		ToNode: opts.ToNode, UnreadOnly: opts.UnreadOnly, Kind: client.KindQuestion, ThreadID: opts.ThreadID, Since: opts.Since,
		Limit: cmp.Or(opts.Limit, maxLimit), Extra: opts.Extra,
	})
	if len(questions) == 0 {
		return questions, err
	}
	newest := make(map[correlation]int64)
	complete, err2 := n.readAnswers(ctx, newest, correlation{node: n.Resolve(opts.ToNode), thread: opts.ThreadID})
	pending := []message{}
	for _, q := range questions {
		asked := correlationWith(q.ToNode, q)
		if _, known := newest[asked]; err2 == nil && !known && q.ID < complete {
			newest[asked] = 0
			_, err2 = n.readAnswers(ctx, newest, asked)
		}
		if newest[asked] <= q.ID {
			pending = append(pending, q)
		}
	}
	if err2 != nil {
		return nil, err2
	}
	return pending, err
}

// readAnswers adds each correlation's newest answer id to newest. only selects peer and
// thread; "" selects all. From the id complete on, no answer is missing.
func (c *node) readAnswers(ctx context.Context, newest map[correlation]int64, only correlation) (complete int64, err error) {
	rows, _, err := c.List(ctx, query{
		ToNode: c.Name, FromNode: only.node, ThreadID: only.thread, Kind: client.KindAnswer, Limit: maxLimit,
	}, seam.List{NoContents: true})
	for _, m := range rows {
		if m.Kind == client.KindAnswer && m.ToNode == c.Name {
			answered := correlationWith(m.FromNode, m)
			newest[answered] = max(newest[answered], m.ID)
		}
	}
	if len(rows) >= maxLimit {
		complete = rows[len(rows)-1].ID
	}
	return complete, withoutRows(err)
}
