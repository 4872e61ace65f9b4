// Package methods lists methods in package client, with everything that tests in client
// and internal/test/faults need to call them. Only tests import it.
package methods

import (
	"context"

	"github.com/mesh-gateway/mesh-go/client"
)

// Method is a client.MeshClient method that sends one request.
type Method struct {
	Name string
	// Call calls the method with valid arguments. For the response in Recording, the
	// result isn't empty.
	Call func(context.Context, *client.MeshClient) (any, error)
	// Recording is a file in internal/test/contract/testdata/gateway.
	Recording string
	// Text, Integer and Object lead to such values in the response, as member names and
	// indexes. If the response has no string or integer, they lead to another value,
	// where a wrong number is also an error.
	Text, Integer, Object []any
	// Required lists paths where null is an error, such as "threads[].topic". "" is the
	// response itself.
	Required []string
	// List means that an empty body is an empty list.
	List bool
}

// ThreadID is GetThread's thread.
const ThreadID = "3f0f8a53-0000-4000-8000-000000000000"

// Gateway lists the client.MeshClient methods that have no special cases. The others are
// in operations (client/main_test.go) and in meshOperations (internal/test/faults).
var Gateway = []Method{
	{
		Name: "Register", Recording: "register_first_time",
		Call: func(ctx context.Context, c *client.MeshClient) (any, error) {
			return c.Register(ctx, client.RegisterRequest{URL: "http://node-a:8787"})
		},
		Text: []any{"registered_at"}, Integer: []any{"enabled"}, Object: []any{},
		Required: []string{"", "name"},
	},
	{
		Name: "OpenThread", Recording: "thread_create",
		Call: func(ctx context.Context, c *client.MeshClient) (any, error) {
			return c.OpenThread(ctx, "node-a↔node-b:builds")
		},
		Text: []any{"thread_name"}, Integer: []any{"thread_uuid"}, Object: []any{},
		Required: append([]string{""}, in("", thread)...),
	},
	{
		Name: "ListThreads", Recording: "threads_list", List: true,
		Call: func(ctx context.Context, c *client.MeshClient) (any, error) {
			return c.ListThreads(ctx, client.ThreadQuery{Peer: "node-a", Topic: "builds", SessionID: "s", Limit: 1})
		},
		Text: []any{"threads", 0, "thread_name"}, Integer: []any{"threads", 0, "thread_uuid"}, Object: []any{"threads", 0},
		Required: append([]string{"", "threads", "threads[]"}, in("threads[].", thread)...),
	},
	{
		Name: "GetThread", Recording: "thread_get",
		Call: func(ctx context.Context, c *client.MeshClient) (any, error) {
			_, messages, err := c.GetThread(ctx, ThreadID, client.ThreadOptions{Limit: 1})
			return messages, err
		},
		Text: []any{"messages", 0, "content"}, Integer: []any{"messages", 0, "id"}, Object: []any{"messages", 0},
		Required: append(in("messages[].", message), append([]string{"", "thread", "messages", "messages[]"}, in("thread.", thread)...)...),
	},
}

// Required fields.
var (
	thread  = []string{"thread_uuid", "thread_name", "peer_pair", "topic", "created_at", "last_used_at"}
	message = []string{"id", "from_node", "to_node", "kind", "created_at"}
)

func in(object string, fields []string) []string {
	var places []string
	for _, field := range fields {
		places = append(places, object+field)
	}
	return places
}
