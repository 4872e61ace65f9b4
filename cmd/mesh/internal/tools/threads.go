package tools

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
)

// threadTools are the tools for threads.
type threadTools struct{ client *client.MeshClient }

func addThreadTools(server *mcp.Server, t *threadTools) {
	add(server, "mesh_threads", "List threads", "List the threads of all nodes, most recently used first.", t.list, reads)
	add(server, "mesh_thread", "Read a thread", "List the messages of a thread, oldest first. Nothing is marked read.", t.read, reads)
}

type threadsArguments struct {
	Peer  nodeName `json:"peer,omitempty" jsonschema:"only threads of this node"`
	Topic string   `json:"topic,omitempty" jsonschema:"only threads whose topic contains this"`
	skipArguments
}

type toolThreads struct {
	Notice   string       `json:"notice"`
	Threads  []toolThread `json:"threads"`
	NextSkip int          `json:"next_skip,omitempty"`
}

type toolThread struct {
	ID         string `json:"id"`
	Name       string `json:"untrusted_content"`
	LastUsedAt string `json:"last_used_at"`
}

// maxThreads is how many threads the gateway lists at most.
const maxThreads = 100

func (t *threadTools) list(ctx context.Context, in threadsArguments) (toolThreads, error) {
	threads, err := t.client.ListThreads(ctx, client.ThreadQuery{Peer: string(in.Peer), Topic: in.Topic, Limit: maxThreads})
	if err != nil {
		return toolThreads{}, err
	}
	all := make([]toolThread, len(threads))
	for i, thread := range threads {
		all[i] = toolThread{thread.ID, thread.Name, thread.LastUsedAt}
	}
	page := part(all, in.Skip)
	return toolThreads{notice, page.items, page.nextSkip}, nil
}

type threadArguments struct {
	ID    string       `json:"id" jsonschema:"of the thread, as mesh_threads lists it"`
	Limit messageLimit `json:"limit,omitempty" jsonschema:"default 100"`
	position
}

func (t *threadTools) read(ctx context.Context, in threadArguments) (toolMessages, error) {
	limit := int(in.Limit)
	if limit == 0 {
		limit = 100
	}
	rows := min(limit+1, window)
	if in.NextID != 0 {
		rows = window
	}
	_, messages, err := t.client.GetThread(ctx, in.ID, client.ThreadOptions{Limit: rows})
	if err != nil {
		return toolMessages{}, lookup.ThreadError(in.ID, err)
	}
	out := page(oldestFirst(messages, in.position), in.position, limit)
	return out, t.setRead(ctx, in.ID, messages, out.Messages)
}

// setRead sets which messages of a thread are read. The gateway returns that only in inboxes, so that the inbox of each recipient
// is fetched.
func (t *threadTools) setRead(ctx context.Context, thread string, all []client.MeshMessage, shown []toolMessage) error {
	read := map[int64]*bool{}
	for _, node := range recipients(all, shown) {
		inbox, _, err := fetch(ctx, t.client, client.FetchOptions{ToNode: node, ThreadID: thread}, window)
		if err != nil {
			return err
		}
		for _, m := range inbox {
			if m.ToNode == node {
				is := m.ReadAt != nil
				read[m.ID] = &is
			}
		}
	}
	for i := range shown {
		shown[i].Read = read[shown[i].ID]
	}
	return nil
}

// maxInboxes bounds the requests for one thread. It has two recipients as a rule.
const maxInboxes = 8

// recipients returns the recipients of the messages that are shown.
func recipients(all []client.MeshMessage, shown []toolMessage) []string {
	var nodes []string
	for _, m := range all {
		isShown := slices.ContainsFunc(shown, func(s toolMessage) bool { return s.ID == m.ID })
		if isShown && m.ToNode != "" && !slices.Contains(nodes, m.ToNode) && len(nodes) < maxInboxes {
			nodes = append(nodes, m.ToNode)
		}
	}
	return nodes
}
