package faults_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/internal/test/methods"
)

// meshOperations use the recordings' node. None checks the Content-Type.
func meshOperations() []*operation {
	all := []*operation{listPeers(), fetch(), sendAtRegistry(), sendAtPost(), markRead(), health(), watch(), getPeer(), findThread(), sent()}
	for _, m := range methods.Gateway {
		all = append(all, meshOperation(m))
	}
	return all
}

// meshOperation covers a method without special cases. record adds its example, and learn
// its request and empty result.
func meshOperation(m methods.Method) *operation {
	op := &operation{name: m.Name, method: m.Name, mesh: m.Call, example: m.Example, nulls: make(map[string]outcome)}
	if m.List {
		op.exceptions = []exception{{class: emptyBody, becomes: none, why: "an empty body is an empty list"}}
	}
	return op
}

// learn sets the request and the empty result, from a trial without a fault. Operations
// from package methods declare neither.
func (op *operation) learn(c *trial) {
	if requests := c.server.requests(); op.request[0] == "" && len(requests) > 0 {
		op.request[0], op.request[1], _ = strings.Cut(requests[0], " ")
	}
	switch kind := reflect.TypeOf(c.value); {
	case kind == nil:
	case len(op.exceptions) > 0 && kind.Kind() == reflect.Slice:
		op.empty = reflect.MakeSlice(kind, 0, 0).Interface()
	default:
		op.empty = reflect.Zero(kind).Interface()
	}
}

// emptyListExceptions are for operations that read a list.
func emptyListExceptions(becomes outcome) []exception {
	return []exception{
		{class: emptyBody, becomes: becomes, why: "an empty body is an empty list"},
		{class: emptyArray, becomes: becomes, why: "a bare array is a list"},
	}
}

var peerNulls = map[string]outcome{"": decode, "peers": decode, "peers[]": decode, "peers[].name": decode}

func listPeers() *operation {
	return &operation{
		name: "ListPeers", method: "ListPeers", recordings: []string{"peers"}, request: [2]string{"GET", "/peers"},
		mesh:  func(ctx context.Context, c *client.MeshClient) (any, error) { return c.ListPeers(ctx) },
		empty: []client.MeshPeer{},
		text:  path{"peers", 0, "url"}, integer: path{"peers", 0, "enabled"}, object: path{"peers", 0},
		nulls: peerNulls, exceptions: emptyListExceptions(none),
	}
}

var messageNulls = map[string]outcome{
	"": decode, "messages": decode, "messages[]": decode, "messages[].id": decode, "messages[].from_node": decode,
	"messages[].to_node": decode, "messages[].kind": decode, "messages[].created_at": decode,
}

func fetch() *operation {
	return &operation{
		name: "Fetch", method: "Fetch", recordings: []string{"inbox"}, request: [2]string{"GET", "/messages"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) {
			return c.Fetch(ctx, client.FetchOptions{})
		},
		empty: []client.MeshMessage{},
		text:  path{"messages", 0, "content"}, integer: path{"messages", 0, "id"}, object: path{"messages", 0},
		nulls: messageNulls, exceptions: emptyListExceptions(none),
	}
}

func sent() *operation {
	return &operation{
		name: "Sent", method: "Sent", recordings: []string{"inbox_without_to"}, request: [2]string{"GET", "/messages"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) {
			return c.Sent(ctx, client.SentOptions{})
		},
		empty: []client.MeshMessage{},
		text:  path{"messages", 0, "content"}, integer: path{"messages", 0, "id"}, object: path{"messages", 0},
		nulls: messageNulls, exceptions: emptyListExceptions(none),
	}
}

// watch takes the first message, or the result after an empty inbox. Its limit is 1, so
// it can't ask for fewer messages if a response is too large.
func watch() *operation {
	return &operation{
		name: "Watch", method: "Watch", recordings: []string{"inbox"}, request: [2]string{"GET", "/messages"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) {
			for m, err := range agent.Watch(ctx, c, agent.WatchOptions{Interval: time.Millisecond, Limit: 1}) {
				return m, err
			}
			return client.MeshMessage{}, ctx.Err()
		},
		empty: client.MeshMessage{},
		text:  path{"messages", 1, "content"}, integer: path{"messages", 1, "id"}, object: path{"messages", 1},
		nulls: messageNulls, exceptions: emptyListExceptions(ok), // nothing to yield; the next poll is good
	}
}

func send(ctx context.Context, c *client.MeshClient) (any, error) {
	return c.Send(ctx, client.SendRequest{To: "node-a", Kind: client.KindQuestion, Content: "status of the nightly build?"})
}

// sendAtRegistry fails while it reads the registry, so nothing may be posted.
func sendAtRegistry() *operation {
	return &operation{
		name: "Send/registry", method: "Send", recordings: []string{"peers", "send_ok"}, request: [2]string{"GET", "/peers"},
		mesh: send, empty: (*client.MeshMessage)(nil),
		text: path{"peers", 0, "url"}, integer: path{"peers", 0, "enabled"}, object: path{"peers", 0},
		// The recipient is the first peer. A row with an unreadable name isn't recognized
		// as the recipient.
		nulls: map[string]outcome{
			"": decode, "peers": decode, `["peers",0]`: absent, `["peers",0,"name"]`: absent, "peers[]": anyResult, "peers[].name": anyResult,
		},
		exceptions: append(emptyListExceptions(absent), // an empty registry has no recipient
			exception{fault: "100,000 levels in a known field", becomes: absent, why: "the row is not identified"},
			exception{fault: "100 MB, announced, small limit", becomes: missing, why: "the recipient is requested by itself"}),
	}
}

func sendAtPost() *operation {
	return &operation{
		name: "Send/post", method: "Send", skip: 1, recordings: []string{"peers", "send_ok"}, request: [2]string{"POST", "/messages"},
		mesh: send, full: true, delivers: true, empty: (*client.MeshMessage)(nil),
		text: path{"thread_id"}, integer: path{"id"}, object: path{},
		nulls: map[string]outcome{"": decode, "id": decode, "from_node": decode, "to_node": decode, "kind": decode, "created_at": decode},
	}
}

// markRead ignores the body: after a 2xx status the message is marked, even if the body
// is missing or incomplete. Only a web page is an error.
func markRead() *operation {
	op := &operation{
		name: "MarkRead", method: "MarkRead", recordings: []string{"mark_read"}, request: [2]string{"POST", "/messages/603/read"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) { return nil, c.MarkRead(ctx, 603) },
		text: path{"read_at"}, integer: path{"id"}, object: path{},
	}
	for _, page := range []string{"HTML as JSON", "proxy: login page"} {
		op.exceptions = append(op.exceptions, exception{fault: page, becomes: decode, why: "a web page is not the gateway's"})
	}
	for _, class := range []outcome{decode, emptyBody, emptyArray, network, late, large} {
		op.exceptions = append(op.exceptions, exception{class: class, becomes: ok, why: "the body is ignored"})
	}
	return op
}

func health() *operation {
	op := &operation{
		name: "Health", method: "Health", recordings: []string{"health"}, request: [2]string{"GET", "/health"},
		mesh:  func(ctx context.Context, c *client.MeshClient) (any, error) { return c.Health(ctx) },
		empty: "",
		text:  path{"service"}, integer: path{"schema_version"}, object: path{},
		exceptions: slices.Clone(keepsRaw),
	}
	for _, class := range []outcome{decode, emptyBody, emptyArray} {
		op.exceptions = append(op.exceptions, exception{class: class, becomes: anyResult, why: "Health returns any body as text"})
	}
	return op
}
