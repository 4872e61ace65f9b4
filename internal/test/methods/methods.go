// Package methods lists methods of package client with what the tests of package client and of internal/test/faults need to call them.
// It is imported by tests only.
package methods

import (
	"context"

	"github.com/mesh-gateway/mesh-go/client"
)

// Method is a method of client.MeshClient that sends one request.
type Method struct {
	Name string
	// Call calls it with valid arguments and returns a result that is not empty for the response of Recording.
	Call func(context.Context, *client.MeshClient) (any, error)
	// Recording is a file of internal/test/contract/testdata/gateway.
	Recording string
	// Text, Integer and Object are the places of such values in the response, as member names and indexes. A response without a string
	// or an integer has another value there, of which a wrong number is an error as well.
	Text, Integer, Object []any
	// Required are the places where null is an error, such as "threads[].topic"; "" is the response itself.
	Required []string
	// List means that an empty body is an empty list.
	List bool
}

// ThreadID is the thread of GetThread.
const ThreadID = "3f0f8a53-0000-4000-8000-000000000000"

// Gateway has the methods of client.MeshClient without special cases. The others are in operations of client/main_test.go and in
// meshOperations of internal/test/faults.
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

// The required fields of a thread and of a message.
var (
	thread  = []string{"thread_uuid", "thread_name", "peer_pair", "topic", "created_at", "last_used_at"}
	message = []string{"id", "from_node", "to_node", "kind", "created_at"}
)

// in returns the places of the fields of an object.
func in(object string, fields []string) []string {
	var places []string
	for _, field := range fields {
		places = append(places, object+field)
	}
	return places
}
