package faults_test

import (
	"context"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
)

// meshOperations are those of the gateway's client, for the node that the recorded answers are for. None has a
// Content-Type it insists on: SPEC.md asks for JSON, and a body is or is not (DESIGN.md section 3, errors).
func meshOperations() []*operation {
	return []*operation{listPeers(), register(), fetch(), sendAtRegistry(), sendAtPost(), markRead(), health(), watch()}
}

// anEmptyListIsAList are the exceptions of lists.
func anEmptyListIsAList(becomes outcome) []exception {
	return []exception{
		{class: blank, becomes: becomes, why: "an empty body is no value, for a list an empty one (SPEC.md, Gateway HTTP API)"},
		{class: bare, becomes: becomes, why: "a bare array is a list (WIRE.md G3)"},
	}
}

var peerNulls = map[string]outcome{"": decode, "peers": decode, "peers[]": decode, "peers[].name": decode}

func listPeers() *operation {
	return &operation{
		name: "ListPeers", method: "ListPeers", tape: []string{"peers"}, request: [2]string{"GET", "/peers"},
		mesh:  func(ctx context.Context, c *client.MeshClient) (any, error) { return c.ListPeers(ctx) },
		empty: []client.MeshPeer{},
		text:  path{"peers", 0, "url"}, integer: path{"peers", 0, "enabled"}, object: path{"peers", 0},
		nulls: peerNulls, exceptions: anEmptyListIsAList(none),
	}
}

func register() *operation {
	return &operation{
		name: "Register", method: "Register", tape: []string{"register_first_time"}, request: [2]string{"POST", "/peers/register"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) {
			return c.Register(ctx, client.RegisterRequest{URL: "http://node-c:8787"})
		},
		empty: (*client.MeshPeer)(nil),
		text:  path{"registered_at"}, integer: path{"enabled"}, object: path{},
		nulls: map[string]outcome{"": decode, "name": decode},
	}
}

var messageNulls = map[string]outcome{
	"": decode, "messages": decode, "messages[]": decode, "messages[].id": decode, "messages[].from_node": decode,
	"messages[].to_node": decode, "messages[].kind": decode, "messages[].created_at": decode,
}

func fetch() *operation {
	return &operation{
		name: "Fetch", method: "Fetch", tape: []string{"inbox"}, request: [2]string{"GET", "/messages"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) {
			return c.Fetch(ctx, client.FetchOptions{})
		},
		empty: []client.MeshMessage{},
		text:  path{"messages", 0, "content"}, integer: path{"messages", 0, "id"}, object: path{"messages", 0},
		nulls: messageNulls, exceptions: anEmptyListIsAList(none),
	}
}

// watch takes what is yielded first, or whatever comes after an inbox without anything to yield.
func watch() *operation {
	return &operation{
		name: "Watch", method: "Watch", tape: []string{"inbox"}, request: [2]string{"GET", "/messages"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) {
			for m, err := range c.Watch(ctx, client.WatchOptions{Interval: time.Millisecond}) {
				return m, err
			}
			return client.MeshMessage{}, ctx.Err()
		},
		empty: client.MeshMessage{},
		text:  path{"messages", 1, "content"}, integer: path{"messages", 1, "id"}, object: path{"messages", 1},
		nulls: messageNulls, exceptions: anEmptyListIsAList(ok), // there is nothing to yield, and the next poll is good
	}
}

func send(ctx context.Context, c *client.MeshClient) (any, error) {
	return c.Send(ctx, client.SendRequest{To: "node-a", Kind: client.KindQuestion, Content: "status of the nightly build?"})
}

// sendAtRegistry fails closed: whatever is wrong with the registry, nothing is posted.
func sendAtRegistry() *operation {
	return &operation{
		name: "Send/registry", method: "Send", tape: []string{"peers", "send_ok"}, request: [2]string{"GET", "/peers"},
		mesh: send, empty: (*client.MeshMessage)(nil),
		text: path{"peers", 0, "url"}, integer: path{"peers", 0, "enabled"}, object: path{"peers", 0},
		nulls: peerNulls, exceptions: anEmptyListIsAList(absent), // nobody is in an empty registry
	}
}

func sendAtPost() *operation {
	return &operation{
		name: "Send/post", method: "Send", skip: 1, tape: []string{"peers", "send_ok"}, request: [2]string{"POST", "/messages"},
		mesh: send, full: true, delivers: true, empty: (*client.MeshMessage)(nil),
		text: path{"thread_id"}, integer: path{"id"}, object: path{},
		nulls: map[string]outcome{"": decode, "id": decode, "from_node": decode, "to_node": decode, "kind": decode, "created_at": decode},
	}
}

// markRead has no use for a body: with a 2xx status the message is read, even if no body comes, or none that ends.
func markRead() *operation {
	op := &operation{
		name: "MarkRead", method: "MarkRead", tape: []string{"mark_read"}, request: [2]string{"POST", "/messages/603/read"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) { return nil, c.MarkRead(ctx, 603) },
		text: path{"read_at"}, integer: path{"id"}, object: path{},
	}
	for _, class := range []outcome{decode, blank, bare, network, late, large} {
		op.exceptions = append(op.exceptions, exception{class: class, becomes: ok, why: "the body is ignored (WIRE.md G11)"})
	}
	return op
}

// health takes any text for an answer.
func health() *operation {
	op := &operation{
		name: "Health", method: "Health", tape: []string{"health"}, request: [2]string{"GET", "/health"},
		mesh:  func(ctx context.Context, c *client.MeshClient) (any, error) { return c.Health(ctx) },
		empty: "",
		text:  path{"service"}, integer: path{"schema_version"}, object: path{},
		exceptions: slices.Clone(keepsRaw),
	}
	for _, class := range []outcome{decode, blank, bare} {
		op.exceptions = append(op.exceptions, exception{class: class, becomes: fine, why: "the body is text, JSON or not (WIRE.md G16)"})
	}
	return op
}
