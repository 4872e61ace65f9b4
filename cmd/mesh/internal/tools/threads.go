package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mesh-gateway/mesh-go/client"
)

// threadTools are the tools for threads.
type threadTools struct{ client *client.MeshClient }

func addThreadTools(server *mcp.Server, t *threadTools) {
	add(server, "mesh_threads", "List threads", "List threads, most recently used first.", t.list, reads)
	add(server, "mesh_thread", "Read a thread", "List the messages of a thread, oldest first.", t.read, reads)
}

type threadsArguments struct {
	Peer  nodeName `json:"peer,omitempty" jsonschema:"only threads of this node"`
	Topic string   `json:"topic,omitempty" jsonschema:"only threads of this topic"`
}

type toolThreads struct {
	Notice  string       `json:"notice"`
	Threads []toolThread `json:"threads"`
}

type toolThread struct {
	ID         string `json:"id"`
	Name       string `json:"untrusted_content" jsonschema:"name of the thread"`
	LastUsedAt string `json:"last_used_at"`
}

func (t *threadTools) list(ctx context.Context, in threadsArguments) (toolThreads, error) {
	threads, err := t.client.ListThreads(ctx, client.ThreadQuery{Peer: string(in.Peer), Topic: in.Topic})
	out := toolThreads{notice, make([]toolThread, len(threads))}
	for i, thread := range threads {
		out.Threads[i] = toolThread{thread.ID, thread.Name, thread.LastUsedAt}
	}
	return out, err
}

type threadArguments struct {
	ID    string       `json:"id" jsonschema:"id of the thread, as mesh_threads lists it"`
	Limit messageLimit `json:"limit,omitempty" jsonschema:"maximum number of messages; default 100"`
}

func (t *threadTools) read(ctx context.Context, in threadArguments) (toolMessages, error) {
	_, messages, err := t.client.GetThread(ctx, in.ID, client.ThreadOptions{Limit: int(in.Limit)})
	return toToolMessages(messages...), err
}
