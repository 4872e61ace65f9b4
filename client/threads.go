package client

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// Thread is a named group of messages. It is a generated type; [gateway.Thread] lists its
// fields. SessionID is nil if there is no session. Only OpenThread sets Created. Times
// are strings, unchanged from the gateway.
type Thread = gateway.Thread

// Limits of the gateway.
const (
	maxThreadName  = 128
	maxThreadLimit = 100
)

// ListThreadsOptions selects the threads that ListThreads returns. The zero value selects
// the 50 used last.
type ListThreadsOptions struct {
	// Peer selects threads whose pair contains this name or alias; "" selects all. The
	// gateway matches Peer and Topic as a substring, like SQL's LIKE: ASCII case is ignored,
	// % is any text and _ any character.
	Peer string
	// Topic selects threads whose topic contains this text; "" selects all.
	Topic string
	// SessionID selects threads with this session; "" selects all.
	SessionID string
	// Limit is the maximum number of threads, 1 to 100; 0 means the gateway's default, which
	// is 50.
	Limit int
}

// GetThreadOptions configures GetThread. The zero value is valid.
type GetThreadOptions struct {
	// Limit is the maximum number of messages, 1 to 1000; 0 means the gateway's default,
	// which is 100.
	Limit int
	// Newest selects the newest messages instead of the oldest.
	Newest bool
}

// A thread is created once: a repeated request returns the same thread.
var opOpenThread = operation{method: http.MethodPost, path: "/threads", repeatable: true}

// OpenThread returns the thread with the given name, 1 to 128 characters, and creates it
// if it is new (POST /threads). To send into the thread, pass its ID as
// SendRequest.ThreadID. By convention a name holds the two peers and a topic, as in
// "node-a↔node-b:builds". If the name is too short or too long, the error is a
// [*ValueError].
func (c *MeshClient) OpenThread(ctx context.Context, name string) (*Thread, error) {
	if err := checkThreadName(name); err != nil {
		return nil, err
	}
	return request[Thread](ctx, c, opOpenThread, func(ctx context.Context) (*http.Response, error) {
		return c.api.OpenThread(ctx, gateway.OpenThreadRequest{Name: name})
	})
}

func checkThreadName(name string) error {
	if n := utf8.RuneCountInString(name); n < 1 || n > maxThreadName {
		return invalid("name", "must have 1 to 128 characters")
	}
	return checkText("name", name)
}

// opGetThread takes a redacted id.
func opGetThread(id string) operation {
	return operation{method: http.MethodGet, path: "/threads/" + id, repeatable: true, needsBody: true, absence: true}
}

// GetThread returns a thread and its messages, the oldest first (GET /threads/{uuid}).
// Each message has ThreadID set, so [MeshClient.Reply] stays in the thread. ReadAt is
// always nil, because the gateway does not return it here. An unknown id is a
// [*MeshGatewayError] with status 404.
//
// If opts.Newest is set, GetThread lists the newest messages (GET /messages), still the
// oldest of them first. Then ReadAt is set, but the Thread has only its ID, unless there
// are no messages. If a thread has more than 2000 messages, only the oldest 1000 and the
// newest 1000 can be listed.
func (c *MeshClient) GetThread(ctx context.Context, id string, opts GetThreadOptions) (*Thread, []MeshMessage, error) {
	if err := cmp.Or(c.ready(ctx), checkPathSegment("id", id), checkLimit(opts.Limit, maxLimit)); err != nil {
		return nil, nil, err
	}
	if opts.Newest {
		return c.newestOfThread(ctx, id, opts)
	}
	op := opGetThread(c.redactor.show(id))
	page, header, err := requestList[gateway.ThreadMessages](ctx, c, op, messageRows, func(ctx context.Context) (*http.Response, error) {
		return c.api.GetThread(ctx, id, &gateway.GetThreadParams{Limit: optional(int64(opts.Limit))})
	})
	if page.Messages == nil {
		return nil, nil, err
	}
	err = withIncomplete(err, header, page.AdditionalProperties, len(page.Messages), optional(int64(opts.Limit)))
	for i := range page.Messages {
		if page.Messages[i].ThreadID == nil {
			page.Messages[i].ThreadID = &page.Thread.ID
		}
	}
	return &page.Thread, page.Messages, err
}

// newestOfThread falls back to GetThread if the list is empty, which does not show
// whether the thread exists.
func (c *MeshClient) newestOfThread(ctx context.Context, id string, opts GetThreadOptions) (*Thread, []MeshMessage, error) {
	rows, _, err := c.listMessages(ctx, ListMessagesOptions{ThreadID: id, Limit: opts.Limit}, seam.List{})
	if rows == nil {
		return nil, nil, err
	}
	rows = slices.DeleteFunc(rows, func(m MeshMessage) bool { return m.GetThreadID() != id })
	if len(rows) == 0 {
		return c.GetThread(ctx, id, GetThreadOptions{Limit: opts.Limit})
	}
	slices.Reverse(rows)
	return &Thread{ID: id}, rows, err
}

// FindThread returns the thread with exactly this name, and reports whether it exists. It
// never creates one. The gateway lists at most 100 threads with similar names: if there
// are 100 and none matches, the error is a [*MeshGatewayError] with status 200. A name
// has 1 to 128 characters, as for OpenThread.
func (c *MeshClient) FindThread(ctx context.Context, name string) (*Thread, bool, error) {
	if err := cmp.Or(c.ready(ctx), checkThreadName(name)); err != nil {
		return nil, false, err
	}
	pair, topic, _ := strings.Cut(name, ":")
	threads, err := c.listThreads(ctx, &gateway.ListThreadsParams{
		Peer: optional(strings.TrimSpace(pair)), Topic: optional(strings.TrimSpace(topic)), Limit: optional(int64(maxThreadLimit)),
	})
	if threads == nil {
		return nil, false, err
	}
	for i := range threads {
		if threads[i].Name == name {
			return &threads[i], true, nil
		}
	}
	if len(threads) >= maxThreadLimit {
		return nil, false, opListThreads.fails(
			fmt.Errorf("the thread is not among the %d listed ones, and there may be more with similar names", len(threads)))
	}
	return nil, false, err // an invalid row may be the thread
}

var opListThreads = operation{method: http.MethodGet, path: "/threads", repeatable: true, noPages: true}

// ListThreads returns threads, the most recently used first (GET /threads). The slice is
// not nil unless there is an error.
func (c *MeshClient) ListThreads(ctx context.Context, opts ListThreadsOptions) ([]Thread, error) {
	if err := cmp.Or(c.ready(ctx), opts.check()); err != nil {
		return nil, err
	}
	return c.listThreads(ctx, &gateway.ListThreadsParams{
		Peer: optional(resolveAlias(c.aliases, opts.Peer)), Topic: optional(opts.Topic),
		SessionID: optional(opts.SessionID), Limit: optional(int64(opts.Limit)),
	})
}

func (c *MeshClient) listThreads(ctx context.Context, params *gateway.ListThreadsParams) ([]Thread, error) {
	list, header, err := requestList[gateway.ThreadList](ctx, c, opListThreads, threadRows, func(ctx context.Context) (*http.Response, error) {
		return c.api.ListThreads(ctx, params)
	})
	return list.Threads, withIncomplete(err, header, list.AdditionalProperties, len(list.Threads), params.Limit)
}

func (q ListThreadsOptions) check() error {
	return cmp.Or(checkTexts("Peer", q.Peer, "Topic", q.Topic, "SessionID", q.SessionID), checkLimit(q.Limit, maxThreadLimit))
}

// optional returns nil for the zero value, which is not sent.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
