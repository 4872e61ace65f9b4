package client

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/jsonlist"
)

// MeshMessage is one direct message. It is a generated type; [gateway.MeshMessage] lists
// its fields. ID, FromNode, ToNode, Kind and CreatedAt are always set. Content is nil in
// a receipt, and ReadAt is nil while the message is unread. RelatedTaskID and ThreadID
// are nil if unset. RelatedTaskID is a string even if the gateway sends a number. Times
// are strings, unchanged from the gateway.
//
// AdditionalProperties has unknown properties as raw JSON. A later version may add a
// field for one and remove it from the map.
type MeshMessage = gateway.MeshMessage

// Kind is a message's purpose: fyi, question, answer, status or unblock. Only these five
// can be sent, but an inbox may contain others; Valid tells them apart.
type Kind = gateway.Kind

// Kinds that can be sent.
const (
	KindFYI      = gateway.KindFYI
	KindQuestion = gateway.KindQuestion
	KindAnswer   = gateway.KindAnswer
	KindStatus   = gateway.KindStatus
	KindUnblock  = gateway.KindUnblock
)

// FetchOptions selects the messages that Fetch returns. The zero value selects the newest
// 100 messages to the client's own node, read and unread.
type FetchOptions struct {
	// ToNode is the node name or alias whose inbox is read; "" means the client's own node.
	ToNode string
	// UnreadOnly excludes messages that are marked read.
	UnreadOnly bool
	// FromNode, Kind and ThreadID select messages with exactly these values; "" selects all.
	// FromNode may be an alias. Older gateways ignore these fields and Since.
	FromNode string
	Kind     Kind
	ThreadID string
	// Since selects messages with a later CreatedAt. Pass a message's CreatedAt unchanged,
	// because the gateway compares strings.
	Since string
	// Limit is the maximum number of messages, 1 to 1000; 0 means the gateway's default,
	// which is 100.
	Limit int
	// Extra adds query parameters for a newer gateway. They are scanned for credentials. A
	// parameter that has its own field, such as "since", is a [*ValueError].
	Extra url.Values
}

var opListMessages = operation{method: http.MethodGet, path: "/messages", repeatable: true, noPages: true}

// ListMessagesOptions selects the messages that ListMessages returns. The zero value
// selects the newest 100 between all nodes.
type ListMessagesOptions struct {
	// ToNode and FromNode are the recipient and the sender, each a name or an alias; ""
	// selects all.
	ToNode string
	// UnreadOnly excludes messages that are marked read.
	UnreadOnly bool
	// FromNode, Kind, ThreadID, Since, Limit and Extra are as in [FetchOptions].
	FromNode string
	Kind     Kind
	ThreadID string
	Since    string
	Limit    int
	Extra    url.Values
}

// ListMessages returns messages between any nodes, the newest first (GET /messages). Use
// [MeshClient.Fetch] and [MeshClient.Sent] for the client's own node. The slice is not
// nil unless there is an error.
//
// ListMessages does not filter the response. Older gateways ignore some parameters, and
// the list may contain claims from agent.Serve (see ServeOptions.Lease).
func (c *MeshClient) ListMessages(ctx context.Context, q ListMessagesOptions) ([]MeshMessage, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	q.ToNode, q.FromNode = resolveAlias(c.aliases, q.ToNode), resolveAlias(c.aliases, q.FromNode)
	rows, _, err := c.listMessages(ctx, q, seam.List{})
	return rows, err
}

// Fetch returns an inbox, the newest message first (GET /messages). It marks nothing
// read. The slice is not nil unless there is an error.
//
// If a message is invalid, Fetch returns a [*RowError] together with the other messages.
// It removes messages that the node sent to itself, but returns another node's inbox
// unchanged. There is no cursor: the gateway returns only the 1000 newest messages. A
// response with an empty body is an empty inbox; a web page is an error.
func (c *MeshClient) Fetch(ctx context.Context, opts FetchOptions) ([]MeshMessage, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	q := ListMessagesOptions(opts)
	q.ToNode, q.FromNode = cmp.Or(resolveAlias(c.aliases, q.ToNode), c.node), resolveAlias(c.aliases, q.FromNode)
	rows, _, err := c.listMessages(ctx, q, seam.List{})
	if len(rows) > 0 && q.ToNode == c.node {
		rows = slices.DeleteFunc(rows, func(m MeshMessage) bool { return m.FromNode == c.node })
	}
	return rows, err
}

func (q ListMessagesOptions) check() error {
	return cmp.Or(checkLimit(q.Limit, maxLimit),
		checkTexts("ToNode", q.ToNode, "FromNode", q.FromNode, "Kind", string(q.Kind), "ThreadID", q.ThreadID, "Since", q.Since))
}

// listMessages does not resolve aliases. It also returns the limit last used, which
// how.Fewer and how.Slow may lower.
func (c *MeshClient) listMessages(ctx context.Context, q ListMessagesOptions, how seam.List) ([]MeshMessage, int, error) {
	if err := cmp.Or(q.check(), c.ready(ctx)); err != nil {
		return nil, q.Limit, err
	}
	if err := c.redactor.checkExtraQuery(q.Extra); err != nil {
		return nil, q.Limit, err
	}
	op := opListMessages
	op.repeatable, op.needsBody, op.filter = !how.Once, how.NeedsBody, how.Filter
	if how.NoContents {
		op.filter = func(body io.Reader) io.Reader {
			return &jsonlist.Filter{Body: body, List: messageRows.list, Field: "content", Limit: -1}
		}
	}
	for {
		op.shrinks = how.Slow && q.Limit > 1
		rows, err := c.list(ctx, op, q)
		fewer := (how.Fewer || how.Slow) && errors.Is(err, ErrTooLarge) || how.Slow && isSlow(err)
		if !fewer || q.Limit == 1 || ctx.Err() != nil {
			return rows, q.Limit, err
		}
		q.Limit = max(1, q.Limit/4)
		c.log.DebugContext(ctx, "the list is too large for one response; fetching fewer messages", "limit", q.Limit)
	}
}

// isSlow reports whether a 2xx header arrived in time, but not its body.
func isSlow(err error) bool {
	return accepted(statusOf(err)) && errors.Is(err, context.DeadlineExceeded)
}

func (c *MeshClient) list(ctx context.Context, op operation, q ListMessagesOptions) ([]MeshMessage, error) {
	params := &gateway.ListMessagesParams{
		To: optional(q.ToNode), UnreadOnly: optional(q.UnreadOnly), From: optional(q.FromNode), Kind: optional(q.Kind),
		ThreadID: optional(q.ThreadID), Since: optional(q.Since), Limit: optional(int64(q.Limit)),
	}
	list, header, err := requestList[gateway.MessageList](ctx, c, op, messageRows, func(ctx context.Context) (*http.Response, error) {
		return c.api.ListMessages(ctx, params, withParameters(q.Extra))
	})
	return list.Messages, withIncomplete(err, header, list.AdditionalProperties, len(list.Messages), params.Limit)
}

func opMarkRead(id int64) operation {
	path := "/messages/" + strconv.FormatInt(id, 10) + "/read"
	return operation{method: http.MethodPost, path: path, repeatable: true, ignoresBody: true, noPages: true, absence: true, goneIsDone: true}
}

// MarkRead marks one message read (POST /messages/{id}/read). Call it when the message
// has been processed: fetching does not mark it.
//
// If the id is unknown or the message is already read, the error is a [*MeshGatewayError]
// with status 404. With [WithRetry], MarkRead returns nil instead if an earlier attempt
// may have marked the message. Any 2xx response is success, except for a web page. An id
// below 1 is a [*ValueError].
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

// SentOptions selects the messages that [MeshClient.Sent] returns. The zero value selects
// the newest 100.
type SentOptions struct {
	// ToNode is the recipient's name or alias; "" selects all.
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

// Sent returns messages that the client's node has sent, the newest first
// (GET /messages?from=NODE). Claims made for ServeOptions.Lease are left out. The slice
// is not nil unless there is an error.
//
// The gateway returns only the 1000 newest messages. If claims fill its list, Sent lists
// each kind separately. If ToNode is set, the gateway updates that node's LastSeen, as
// for every request to its inbox.
func (c *MeshClient) Sent(ctx context.Context, opts SentOptions) ([]MeshMessage, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	q := ListMessagesOptions{
		ToNode: resolveAlias(c.aliases, opts.ToNode), UnreadOnly: opts.UnreadOnly, FromNode: c.node,
		Kind: opts.Kind, ThreadID: opts.ThreadID, Since: opts.Since, Limit: opts.Limit, Extra: opts.Extra,
	}
	rows, _, err := c.listMessages(ctx, q, seam.List{})
	limit := cmp.Or(opts.Limit, defaultLimit)
	full := len(rows)+len(rowErrors(err)) >= limit
	if !full || q.ToNode != "" || !slices.ContainsFunc(rows, isClaim) {
		limit = len(rows)
	} else if rows, err = c.behindClaims(ctx, q); rows == nil {
		return nil, err
	}
	// Older gateways ignore the parameters, so the rows are selected again.
	rows = slices.DeleteFunc(rows, func(m MeshMessage) bool { return isClaim(m) && q.ToNode == "" || !q.selects(m) })
	return rows[:min(len(rows), limit)], err
}

// selects reports whether m passes all filters except for Since, which the gateway
// compares.
func (q ListMessagesOptions) selects(m MeshMessage) bool {
	is := func(selected, value string) bool { return selected == "" || selected == value }
	return is(q.ToNode, m.ToNode) && is(q.FromNode, m.FromNode) && is(string(q.Kind), string(m.Kind)) && is(q.ThreadID, m.GetThreadID()) &&
		!(q.UnreadOnly && m.ReadAt != nil)
}

// defaultLimit is the gateway's default for a message list.
const defaultLimit = 100

func isClaim(m MeshMessage) bool { return m.ToNode == seam.ClaimNode }

// behindClaims lists each kind separately. The gateway can't exclude claims. They are
// status messages, so they take no room in other kinds' lists.
func (c *MeshClient) behindClaims(ctx context.Context, q ListMessagesOptions) (all []MeshMessage, err error) {
	kinds := []Kind{KindFYI, KindQuestion, KindAnswer, KindStatus, KindUnblock}
	if q.Kind != "" {
		kinds = []Kind{q.Kind}
	}
	all = []MeshMessage{}
	for _, kind := range kinds {
		of := q
		if of.Kind = kind; kind == KindStatus {
			of.Limit = maxLimit
		}
		rows, _, failed := c.listMessages(ctx, of, seam.List{})
		if withoutRowErrors(failed) != nil {
			return nil, failed
		}
		all, err = append(all, rows...), errors.Join(err, failed)
	}
	slices.SortFunc(all, func(a, b MeshMessage) int { return cmp.Compare(b.ID, a.ID) })
	return slices.CompactFunc(all, func(a, b MeshMessage) bool { return a.ID == b.ID && a.CreatedAt == b.CreatedAt }), err
}
