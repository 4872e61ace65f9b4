package faults_test

import (
	"context"

	"github.com/mesh-gateway/mesh-go/client"
)

const threadID = "3f0f8a53-0000-4000-8000-000000000000"

func getPeer() *operation {
	return &operation{
		name: "GetPeer", method: "GetPeer", recordings: []string{"peer_get"}, request: [2]string{"GET", "/peers/node-a"},
		mesh:  func(ctx context.Context, c *client.MeshClient) (any, error) { return c.GetPeer(ctx, "node-a") },
		empty: (*client.MeshPeer)(nil),
		text:  path{"url"}, integer: path{"enabled"}, object: path{},
		nulls: map[string]outcome{"": decode, "name": decode},
		exceptions: []exception{
			{fault: "100 MB, announced, small limit", becomes: anyResult, why: "capabilities that are too large are dropped"},
		},
	}
}

var threadNulls = []string{"thread_uuid", "thread_name", "peer_pair", "topic", "created_at", "last_used_at"}

// requiredThread returns the outcomes of null in the required fields of a thread at prefix.
func requiredThread(prefix string, more ...string) map[string]outcome {
	nulls := map[string]outcome{"": decode}
	for _, field := range threadNulls {
		nulls[prefix+field] = decode
	}
	for _, place := range more {
		nulls[place] = decode
	}
	return nulls
}

func openThread() *operation {
	return &operation{
		name: "OpenThread", method: "OpenThread", recordings: []string{"thread_create"}, request: [2]string{"POST", "/threads"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) {
			return c.OpenThread(ctx, "node-a↔node-b:builds")
		},
		empty: (*client.Thread)(nil),
		text:  path{"thread_name"}, integer: path{"thread_uuid"}, object: path{},
		nulls: requiredThread(""),
	}
}

func listThreads() *operation {
	return &operation{
		name: "ListThreads", method: "ListThreads", recordings: []string{"threads_list"}, request: [2]string{"GET", "/threads"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) {
			return c.ListThreads(ctx, client.ThreadQuery{})
		},
		empty: []client.Thread{},
		text:  path{"threads", 0, "thread_name"}, integer: path{"threads", 0, "thread_uuid"}, object: path{"threads", 0},
		nulls:      requiredThread("threads[].", "threads", "threads[]"),
		exceptions: []exception{{class: emptyBody, becomes: none, why: "an empty body is an empty list"}},
	}
}

func findThread() *operation {
	nulls := requiredThread("threads[].", "threads", "threads[]")
	nulls[`["threads",0]`] = anyResult // the thread is another row
	for _, field := range threadNulls {
		nulls[`["threads",0,"`+field+`"]`] = anyResult
	}
	return &operation{
		name: "FindThread", method: "FindThread", recordings: []string{"threads_list"}, request: [2]string{"GET", "/threads"},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) {
			thread, _, err := c.FindThread(ctx, "node-a↔node-b:nightly-build")
			return thread, err
		},
		empty: (*client.Thread)(nil),
		text:  path{"threads", 0, "thread_name"}, integer: path{"threads", 0, "thread_uuid"}, object: path{"threads", 0},
		nulls: nulls,
		exceptions: []exception{
			{class: emptyBody, becomes: none, why: "an empty body is an empty list"},
			{fault: "100,000 levels in a known field", becomes: anyResult, why: "the thread is another row"},
			{fault: "number of 1e400", becomes: anyResult, why: "the thread is another row"},
		},
	}
}

func getThread() *operation {
	return &operation{
		name: "GetThread", method: "GetThread", recordings: []string{"thread_get"}, request: [2]string{"GET", "/threads/" + threadID},
		mesh: func(ctx context.Context, c *client.MeshClient) (any, error) {
			_, messages, err := c.GetThread(ctx, threadID, client.ThreadOptions{})
			return messages, err
		},
		empty: []client.MeshMessage(nil),
		text:  path{"messages", 0, "content"}, integer: path{"messages", 0, "id"}, object: path{"messages", 0},
		nulls: requiredThread("thread.", "thread", "messages", "messages[]", "messages[].id", "messages[].from_node", "messages[].to_node",
			"messages[].kind", "messages[].created_at"),
	}
}
