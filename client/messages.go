package client

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// MeshMessage is one direct message. It is a generated type; [gateway.MeshMessage] lists its fields. ID, FromNode, ToNode, Kind
// and CreatedAt are always set. Content is nil in the receipt of a send, ReadAt is nil while the message is unread,
// RelatedTaskID and ThreadID are nil if the message has none. RelatedTaskID is a string even if the gateway sends a number.
// Times are strings as the gateway wrote them.
//
// AdditionalProperties contains unknown fields as raw JSON. A later version may add a Go field for one of them, which
// removes it from the map.
type MeshMessage = gateway.MeshMessage

// Kind is the purpose of a message: fyi, question, answer, status or unblock. Valid reports whether it is one of these five.
// Only those can be sent; an inbox may contain others.
type Kind = gateway.Kind

// The kinds of messages that can be sent.
const (
	KindFYI      = gateway.KindFYI
	KindQuestion = gateway.KindQuestion
	KindAnswer   = gateway.KindAnswer
	KindStatus   = gateway.KindStatus
	KindUnblock  = gateway.KindUnblock
)

// FetchOptions selects the messages that Fetch returns. The zero value selects the read and unread messages of the client's own
// node.
type FetchOptions struct {
	// ToNode is the name or alias of the node whose inbox is read; "" means the client's own node.
	ToNode string
	// UnreadOnly excludes messages that are marked read.
	UnreadOnly bool
	// FromNode, Kind and ThreadID select messages with exactly these values; "" selects all. FromNode may be an alias. Older
	// gateways ignore these fields and Since.
	FromNode string
	Kind     Kind
	ThreadID string
	// Since selects messages with a later CreatedAt. Pass the CreatedAt of a message unchanged, because the gateway compares
	// strings.
	Since string
	// Limit is the maximum number of messages, 1 to 1000; 0 means the gateway's default, which is 100.
	Limit int
	// Extra has further query parameters for a newer gateway, by their names there. They are scanned for credentials. The name of a
	// parameter that has a field, such as "since", is a [*ValueError].
	Extra url.Values
}

var opListMessages = operation{method: http.MethodGet, path: "/messages", repeatable: true, noPages: true}

// Fetch returns the messages of an inbox, the newest first (GET /messages). It marks nothing read. The slice is not nil
// unless there is an error.
//
// Messages that the node sent to itself are removed. The inbox of another node is returned unchanged. There is no cursor: the
// gateway returns only the 1000 newest messages. A response with an empty body is an empty inbox; a web page is an error.
// Messages that cannot be decoded are [*RowError] values beside the others.
func (c *MeshClient) Fetch(ctx context.Context, opts FetchOptions) ([]MeshMessage, error) {
	rows, err := c.fetch(ctx, opListMessages, opts)
	if len(rows) > 0 && c.inbox(opts) == c.node {
		rows = slices.DeleteFunc(rows, c.isOwn)
	}
	return rows, err
}

// inbox returns the node whose inbox opts selects.
func (c *MeshClient) inbox(opts FetchOptions) string {
	return cmp.Or(resolveAlias(c.aliases, opts.ToNode), c.node)
}

// isOwn reports whether this client's node sent the message.
func (c *MeshClient) isOwn(m MeshMessage) bool { return m.FromNode == c.node }

// fetch returns the messages of an inbox unfiltered. Messages that cannot be decoded are RowErrors beside the others.
func (c *MeshClient) fetch(ctx context.Context, op operation, opts FetchOptions) ([]MeshMessage, error) {
	params, extra, err := c.checkFetch(ctx, opts)
	if err != nil {
		return nil, err
	}
	return c.list(ctx, op, params, extra)
}

// fetchNewest is fetch by [MeshClient.newest], also after a response that was too slow.
func (c *MeshClient) fetchNewest(ctx context.Context, op operation, opts FetchOptions) ([]MeshMessage, int, error) {
	params, extra, err := c.checkFetch(ctx, opts)
	if err != nil {
		return nil, opts.Limit, err
	}
	op.shrinks = true
	return c.newest(ctx, op, params, extra)
}

func (c *MeshClient) checkFetch(ctx context.Context, opts FetchOptions) (*gateway.ListMessagesParams, gateway.RequestEditorFn, error) {
	err := cmp.Or(checkLimit(opts.Limit, maxLimit), opts.checkTexts(), c.ready(ctx))
	if err == nil {
		err = c.redactor.checkExtraQuery(opts.Extra)
	}
	if err != nil {
		return nil, nil, err
	}
	return c.query(opts), withParameters(opts.Extra), nil
}

// list returns the messages that GET /messages lists.
func (c *MeshClient) list(ctx context.Context, op operation, params *gateway.ListMessagesParams, edit ...gateway.RequestEditorFn) ([]MeshMessage, error) {
	list, header, err := requestList[gateway.MessageList](ctx, c, op, messageRows, func(ctx context.Context) (*http.Response, error) {
		return c.api.ListMessages(ctx, params, edit...)
	})
	return list.Messages, withIncomplete(err, header, list.AdditionalProperties, len(list.Messages), params.Limit)
}

// newest is list for the newest messages. While the response is too large, or too slow if the operation shrinks, it requests fewer of them,
// down to one. It returns the limit of the last request.
func (c *MeshClient) newest(ctx context.Context, op operation, params *gateway.ListMessagesParams, edit ...gateway.RequestEditorFn) ([]MeshMessage, int, error) {
	for slow := op.shrinks; ; {
		limit := int(*params.Limit)
		op.shrinks = slow && limit > 1
		rows, err := c.list(ctx, op, params, edit...)
		if limit == 1 || !errors.Is(err, ErrTooLarge) && !(slow && isSlow(err)) || ctx.Err() != nil {
			return rows, limit, err
		}
		limit = max(1, limit/4)
		params.Limit = optional(int64(limit))
		c.log.DebugContext(ctx, "the list is too large for one response; fetching fewer messages", "limit", limit)
	}
}

// query returns the parameters of GET /messages. Without the parameter to, the gateway returns the messages of all nodes.
func (c *MeshClient) query(opts FetchOptions) *gateway.ListMessagesParams {
	return &gateway.ListMessagesParams{
		To:         optional(c.inbox(opts)),
		UnreadOnly: optional(opts.UnreadOnly),
		From:       optional(resolveAlias(c.aliases, opts.FromNode)),
		Kind:       optional(opts.Kind),
		ThreadID:   optional(opts.ThreadID),
		Since:      optional(opts.Since),
		Limit:      optional(int64(opts.Limit)),
	}
}

// selects reports whether a message passes the filters of a request, which older gateways ignore.
func (c *MeshClient) selects(o FetchOptions, m MeshMessage) bool {
	from := resolveAlias(c.aliases, o.FromNode)
	return (from == "" || from == m.FromNode) && (o.Kind == "" || o.Kind == m.Kind) && (o.ThreadID == "" || o.ThreadID == m.GetThreadID())
}

func (o FetchOptions) checkTexts() error {
	return checkTexts("ToNode", o.ToNode, "FromNode", o.FromNode, "Kind", string(o.Kind), "ThreadID", o.ThreadID, "Since", o.Since)
}

func opMarkRead(id int64) operation {
	path := "/messages/" + strconv.FormatInt(id, 10) + "/read"
	return operation{method: http.MethodPost, path: path, repeatable: true, ignoresBody: true, noPages: true, absence: true, goneIsDone: true}
}

// MarkRead marks one message read (POST /messages/{id}/read). Call it when the message has been processed: fetching does not
// mark it. If the id is unknown or the message is already read, the error is a [*MeshGatewayError] with status 404. With
// [WithRetry], this 404 is success if an earlier attempt may have marked the message; the 404 of a proxy is not. A 2xx response is
// success, whatever its body is, unless it is a web page. An id below 1 is a [*ValueError].
func (c *MeshClient) MarkRead(ctx context.Context, id int64) error {
	return c.markRead(ctx, opMarkRead(id), id)
}

func (c *MeshClient) markRead(ctx context.Context, op operation, id int64) error {
	if err := checkMessageID(id); err != nil {
		return err
	}
	_, err := c.do(ctx, op, func(ctx context.Context) (*http.Response, error) {
		return c.api.MarkMessageRead(ctx, id)
	})
	return err
}
