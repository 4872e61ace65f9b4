package client

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// MeshMessage is one direct message (SPEC.md, MeshMessage). It is the generated type: [gateway.MeshMessage] lists the
// fields. ID, FromNode, ToNode, Kind and CreatedAt are always there. Content is nil in the receipt of a send, ReadAt is nil
// while the message is unread, RelatedTaskID and ThreadID are nil without a link; RelatedTaskID is text although today's
// gateway sends a number (WIRE.md G2). Times are strings as the gateway wrote them.
//
// AdditionalProperties keeps the fields this version does not know as raw JSON. A later version may give one of them a
// field of its own, and then it is no longer in the map.
type MeshMessage = gateway.MeshMessage

// Kind says what a message is for: fyi, question, answer, status or unblock (SPEC.md, MeshMessage). Valid tells whether it is
// one of these five, which can be sent; an inbox may hold others (WIRE.md G18).
type Kind = gateway.Kind

// The five kinds that can be sent (SPEC.md, MeshMessage).
const (
	KindFYI      = gateway.KindFYI
	KindQuestion = gateway.KindQuestion
	KindAnswer   = gateway.KindAnswer
	KindStatus   = gateway.KindStatus
	KindUnblock  = gateway.KindUnblock
)

// maxLimit is the largest number of rows the gateway gives out at once (WIRE.md G12).
const maxLimit = 1000

// FetchOptions selects what Fetch reads. The zero value reads the own inbox, read messages included.
type FetchOptions struct {
	// ToNode is the node whose inbox is read, or an alias of it; "" means the own node.
	ToNode string
	// UnreadOnly leaves out messages that are marked read.
	UnreadOnly bool
	// Limit is the largest number of rows, 1 to 1000; 0 leaves it to the gateway, whose default is 100.
	Limit int
}

// Fetch reads an inbox, newest message first (GET /messages). It marks nothing read. The slice is never nil without an
// error.
//
// From the own inbox, rows that the own node sent are dropped; another inbox comes unfiltered (SPEC.md, Client
// operations, rule 3). There is no cursor: of more than 1000 messages the gateway shows only the newest.
func (c *MeshClient) Fetch(ctx context.Context, opts FetchOptions) ([]MeshMessage, error) {
	rows, err := c.fetch(ctx, opts)
	if err != nil {
		return nil, err
	}
	if c.inbox(opts) == c.node {
		rows = slices.DeleteFunc(rows, c.isOwn)
	}
	return rows, nil
}

// inbox returns the node whose inbox is meant.
func (c *MeshClient) inbox(opts FetchOptions) string {
	return cmp.Or(canonical(c.aliases, opts.ToNode), c.node)
}

// isOwn reports whether this client's node sent the message.
func (c *MeshClient) isOwn(m MeshMessage) bool { return m.FromNode == c.node }

// fetch reads an inbox unfiltered.
func (c *MeshClient) fetch(ctx context.Context, opts FetchOptions) ([]MeshMessage, error) {
	if err := checkLimit(opts.Limit); err != nil {
		return nil, err
	}
	if err := checkText("inbox", opts.ToNode); err != nil {
		return nil, err
	}
	resp, err := c.do(ctx, opListMessages, func(ctx context.Context) (*http.Response, error) {
		return c.api.ListMessages(ctx, c.query(opts))
	})
	if err != nil {
		return nil, err
	}
	if blank(resp) {
		return []MeshMessage{}, nil
	}
	var list gateway.MessageList
	if err := c.decode(opListMessages, resp, &list); err != nil {
		return nil, err
	}
	return list.Messages, nil
}

// query builds the parameters of GET /messages. The name on the wire is to: a gateway that ignores to_node would answer
// everybody's mail (WIRE.md G13).
func (c *MeshClient) query(opts FetchOptions) *gateway.ListMessagesParams {
	params := &gateway.ListMessagesParams{To: c.inbox(opts)}
	if opts.UnreadOnly {
		params.UnreadOnly = &opts.UnreadOnly
	}
	if opts.Limit > 0 {
		limit := int64(opts.Limit)
		params.Limit = &limit
	}
	return params
}

func checkLimit(limit int) error {
	if limit < 0 || limit > maxLimit {
		return &ValueError{Field: "limit", Value: strconv.Itoa(limit), Reason: "is not between 1 and 1000, nor 0 for the gateway's default"}
	}
	return nil
}

// MarkRead marks one message read (POST /messages/{id}/read). Do it when the message has been dealt with: fetching never
// does. An id that is unknown or already read is a [*MeshGatewayError] with status 404, except on a retry, where it means
// that the attempt before had worked (WIRE.md G11). An id below 1 is a [*ValueError].
func (c *MeshClient) MarkRead(ctx context.Context, id int64) error {
	if id < 1 {
		return &ValueError{Field: "message id", Value: strconv.FormatInt(id, 10), Reason: "is not positive"}
	}
	_, err := c.do(ctx, opMarkRead(id), func(ctx context.Context) (*http.Response, error) {
		return c.api.MarkMessageRead(ctx, id)
	})
	return err
}
