package main

import (
	"context"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
)

// uuid is the form of a thread id; any other text is the name of a thread.
var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// threadID returns the id of the thread of that name, made if it is new. An id and "" are returned as they are.
func threadID(ctx context.Context, c *client.MeshClient, thread string) (string, error) {
	if thread == "" || uuid.MatchString(thread) {
		return thread, nil
	}
	t, err := c.OpenThread(ctx, thread)
	if err != nil {
		return "", err
	}
	return t.ID, nil
}

func newThreads(a *app) *cobra.Command {
	var query client.ThreadQuery
	cmd := &cobra.Command{
		Use:   "threads [ID]",
		Short: "List the threads, most recently used first, or the messages of one, oldest first",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, ids []string) error {
			c, err := a.connectAs(observer)
			if err != nil {
				return err
			}
			defer c.Close()
			if len(ids) == 1 {
				return a.thread(cmd.Context(), c, ids[0], query.Limit)
			}
			threads, err := c.ListThreads(cmd.Context(), query)
			if err != nil {
				return err
			}
			return a.print(threads, func(w io.Writer) error { return threadTable(w, threads) })
		},
	}
	cmd.Flags().StringVar(&query.Peer, "peer", "", "only threads of this node")
	cmd.Flags().StringVar(&query.Topic, "topic", "", "only threads of this topic")
	cmd.Flags().StringVar(&query.SessionID, "session", "", "only threads of this session")
	cmd.Flags().IntVar(&query.Limit, "limit", 0, "at most so many threads, 1 to 100 (default 50), or messages, 1 to 1000 (default 100)")
	return cmd
}

func threadTable(w io.Writer, threads []client.Thread) error {
	rows := make([][]string, len(threads))
	for i, t := range threads {
		rows[i] = []string{t.ID, t.Name, when(t.LastUsedAt)}
	}
	return table(w, []string{"ID", "NAME", "LAST USED"}, rows)
}

// conversation is the JSON of one thread.
type conversation struct {
	Thread   *client.Thread       `json:"thread"`
	Messages []client.MeshMessage `json:"messages"`
}

func (a *app) thread(ctx context.Context, c *client.MeshClient, id string, limit int) error {
	thread, messages, err := c.GetThread(ctx, id, client.ThreadOptions{Limit: limit})
	if err != nil {
		return err
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
