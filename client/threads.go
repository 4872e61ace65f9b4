package client

import (
	"context"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// Thread is a named conversation. It is a generated type; [gateway.Thread] lists its fields. SessionID is nil without a
// session. Created is set only by OpenThread. Times are strings as the gateway wrote them.
type Thread = gateway.Thread

// Limits of the gateway.
const (
	maxThreadName  = 128
	maxThreadLimit = 100
)

// ThreadQuery selects the threads that ListThreads returns. The zero value selects all of them.
type ThreadQuery struct {
	// Peer selects threads whose pair of peers contains this name or alias; "" selects all. The gateway matches Peer and
	// Topic as SQL's LIKE does: any part of the text, in any case, % for any text and _ for any character.
	Peer string
	// Topic selects threads whose topic contains this text; "" selects all.
	Topic string
	// SessionID selects threads with this session; "" selects all.
	SessionID string
	// Limit is the maximum number of threads, 1 to 100; 0 means the gateway's default, which is 50.
	Limit int
}

// ThreadOptions configures GetThread. The zero value is valid.
type ThreadOptions struct {
	// Limit is the maximum number of messages, 1 to 1000; 0 means the gateway's default, which is 100.
	Limit int
}

// OpenThread returns the thread with the given name, 1 to 128 characters, and creates it if it is new (POST /threads). Its ID
// is the value for SendRequest.ThreadID. By convention a name is the two peers and a topic, as in "node-a↔node-b:builds". A name
// of another length is a [*ValueError].
func (c *MeshClient) OpenThread(ctx context.Context, name string) (*Thread, error) {
	if err := checkText("name", name); err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(name); n < 1 || n > maxThreadName {
		return nil, &ValueError{Field: "name", Reason: "must have 1 to 128 characters"}
	}
	resp, err := c.do(ctx, opOpenThread, func(ctx context.Context) (*http.Response, error) {
		return c.api.OpenThread(ctx, gateway.OpenThreadRequest{Name: name})
	})
	if err != nil {
		return nil, err
	}
	thread := new(Thread)
	if err := c.decode(opOpenThread, resp, thread); err != nil {
		return nil, err
	}
	return thread, nil
}

// GetThread returns a thread and its messages, the oldest first (GET /threads/{uuid}). The messages have the ThreadID of the
// thread, so that [MeshClient.Reply] stays in it; their ReadAt is always nil, because the gateway does not return it here. An
// unknown id is a [*MeshGatewayError] with status 404.
func (c *MeshClient) GetThread(ctx context.Context, id string, opts ThreadOptions) (*Thread, []MeshMessage, error) {
	if err := c.ready(ctx); err != nil {
		return nil, nil, err
	}
	if err := checkPathSegment("id", id); err != nil {
		return nil, nil, err
	}
	if err := checkLimit(opts.Limit); err != nil {
		return nil, nil, err
	}
	op := opGetThread(c.redactor.show(id))
	resp, err := c.do(ctx, op, func(ctx context.Context) (*http.Response, error) {
		return c.api.GetThread(ctx, id, &gateway.GetThreadParams{Limit: optional(int64(opts.Limit))})
	})
	if err != nil {
		return nil, nil, err
	}
	var page gateway.ThreadMessages
	if err := c.decode(op, resp, &page); err != nil {
		return nil, nil, err
	}
	for i := range page.Messages {
		if page.Messages[i].ThreadID == nil {
			page.Messages[i].ThreadID = &page.Thread.ID
		}
	}
	return &page.Thread, page.Messages, nil
}

// ListThreads returns threads, the most recently used first (GET /threads). The slice is not nil unless there is an error.
func (c *MeshClient) ListThreads(ctx context.Context, query ThreadQuery) ([]Thread, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	if err := query.check(); err != nil {
		return nil, err
	}
	resp, err := c.do(ctx, opListThreads, func(ctx context.Context) (*http.Response, error) {
		return c.api.ListThreads(ctx, &gateway.ListThreadsParams{
			Peer: optional(resolveAlias(c.aliases, query.Peer)), Topic: optional(query.Topic),
			SessionID: optional(query.SessionID), Limit: optional(int64(query.Limit)),
		})
	})
	if err != nil {
		return nil, err
	}
	var list gateway.ThreadList
	if blank(resp) {
		return []Thread{}, nil
	}
	if err := c.decode(opListThreads, resp, &list); err != nil {
		return nil, err
	}
	return list.Threads, nil
}

func (q ThreadQuery) check() error {
	for _, text := range []struct{ field, value string }{{"Peer", q.Peer}, {"Topic", q.Topic}, {"SessionID", q.SessionID}} {
		if err := checkText(text.field, text.value); err != nil {
			return err
		}
	}
	if q.Limit < 0 || q.Limit > maxThreadLimit {
		return &ValueError{Field: "Limit", Value: strconv.Itoa(q.Limit), Reason: "must be between 1 and 100, or 0 for the gateway's default"}
	}
	return nil
}

// optional returns a pointer to value, or nil for the zero value, which is not sent.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
