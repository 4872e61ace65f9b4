package faults_test

import (
	"context"

	"github.com/mesh-gateway/mesh-go/client"
)

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

func findThread() *operation {
	nulls := map[string]outcome{"": decode, "threads": decode, "threads[]": decode}
	nulls[`["threads",0]`] = anyResult // the thread is in another row
	for _, field := range []string{"thread_uuid", "thread_name", "peer_pair", "topic", "created_at", "last_used_at"} {
		nulls["threads[]."+field] = decode
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
			{fault: "100,000 levels in a known field", becomes: anyResult, why: "the thread is in another row"},
			{fault: "number of 1e400", becomes: anyResult, why: "the thread is in another row"},
		},
	}
}
