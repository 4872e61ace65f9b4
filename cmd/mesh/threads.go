package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

func newThreads(a *app) *cobra.Command {
	var query client.ThreadQuery
	cmd := &cobra.Command{
		Use:               "threads [ID]",
		Short:             "List the threads, most recently used first, or the messages of one, oldest first",
		Example:           "  mesh threads --peer node-b\n  mesh threads 5c6ff0f4-6b5c-4b8e-9d5e-5f6a0b1c2d3e",
		Args:              args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeNothing,
		RunE: a.observe(func(ctx context.Context, c *client.MeshClient, ids []string) error {
			if len(ids) == 1 {
				return a.thread(ctx, c, ids[0], query.Limit)
			}
			threads, err := c.ListThreads(ctx, query)
			if err != nil {
				return err
			}
			return a.print(threads, func(w io.Writer) error { return threadTable(w, threads) })
		}),
	}
	cmd.Flags().StringVar(&query.Peer, "peer", "", "only threads of this node")
	cmd.Flags().StringVar(&query.Topic, "topic", "", "only threads of this topic")
	cmd.Flags().StringVar(&query.SessionID, "session", "", "only threads of this session")
	cmd.Flags().IntVar(&query.Limit, "limit", 0, "maximum number of threads, 1 to 100 (default 50), or of messages, 1 to 1000 (default 100)")
	complete(cmd, "peer", a.completeNode)
	return cmd
}

func threadTable(w io.Writer, threads []client.Thread) error {
	rows := make([][]string, len(threads))
	for i, t := range threads {
		rows[i] = []string{t.ID, output.Time(t.LastUsedAt), t.Name}
	}
	return output.Table(w, []string{"ID", "LAST USED", "NAME"}, rows)
}

// conversation is the JSON of one thread.
type conversation struct {
	Thread   *client.Thread       `json:"thread"`
	Messages []client.MeshMessage `json:"messages"`
}

func (a *app) thread(ctx context.Context, c *client.MeshClient, id string, limit int) error {
	if !lookup.IsThreadID(id) {
		return usagef("%q is not the id of a thread; mesh threads lists the ids", id)
	}
	thread, messages, err := c.GetThread(ctx, id, client.ThreadOptions{Limit: limit})
	if err != nil {
		return lookup.ThreadError(id, err)
	}
	return a.print(conversation{thread, messages}, func(w io.Writer) error {
		for _, m := range messages {
			if err := fullMessage(w, m); err != nil {
				return err
			}
		}
		return nil
	})
}
