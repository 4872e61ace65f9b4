package main

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// sentFlags are the flags of mesh sent and mesh pending.
type sentFlags struct {
	client.FetchOptions
	kind, since string
}

func newSent(a *app) *cobra.Command {
	var f sentFlags
	cmd := &cobra.Command{
		Use:               "sent",
		Short:             "List the messages that this node has sent, newest first",
		Example:           "  mesh sent --to node-b --kind question\n  mesh sent --thread builds --limit 10",
		Args:              args(cobra.NoArgs),
		ValidArgsFunction: completeNothing,
		RunE: a.asNode(func(ctx context.Context, c *client.MeshClient, _ []string) error {
			opts, err := a.sentOptions(ctx, c, f)
			if err != nil {
				return err
			}
			messages, err := c.Sent(ctx, opts)
			if err = a.skipInvalid(err); err != nil {
				return err
			}
			return a.print(messages, func(w io.Writer) error { return sentTable(w, messages) })
		}),
	}
	f.add(a, cmd)
	cmd.Flags().StringVar(&f.kind, "kind", "", "only messages of this kind: fyi, question, answer, status or unblock")
	cmd.Flags().StringVar(&f.since, "since", "", "only messages after this time: a UTC day, 7d for seven days ago, or an RFC 3339 time")
	cmd.Flags().IntVar(&f.Limit, "limit", 0, "maximum number of messages, 1 to 1000 (default 100)")
	complete(cmd, "kind", completeKind)
	return cmd
}

// add adds the flags that both commands have.
func (f *sentFlags) add(a *app, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.ToNode, "to", "", "only messages to this node")
	cmd.Flags().StringVar(&f.ThreadID, "thread", "", "only messages of the thread with this name or id")
	complete(cmd, "to", a.completeNode)
}

// sentOptions checks the filters.
func (a *app) sentOptions(ctx context.Context, c *client.MeshClient, f sentFlags) (opts client.FetchOptions, err error) {
	kind, err := lookup.Kind(f.kind)
	if err != nil {
		return opts, usagef("--kind: %w", err)
	}
	since, err := lookup.Time(f.since)
	if err != nil {
		return opts, usagef("--since: %w", err)
	}
	if err := a.checkNames(name{"--to", f.ToNode}); err != nil {
		return opts, err
	}
	opts = f.FetchOptions
	opts.Kind = kind
	if f.since != "" {
		opts.Since = gatewayTime(since)
	}
	opts.ThreadID, err = a.threadID(ctx, c, f.ThreadID)
	return opts, err
}

func sentTable(w io.Writer, messages []client.MeshMessage) error {
	rows := make([][]string, len(messages))
	for i, m := range messages {
		state := "unread"
		if m.ReadAt != nil {
			state = "read"
		}
		rows[i] = []string{
			strconv.FormatInt(m.ID, 10), shownNode(m.ToNode), shownKind(m.Kind), output.Time(m.CreatedAt), state, output.Text(m.ThreadID), output.Shorten(m.GetContent()),
		}
	}
	return output.Table(w, []output.Column{output.Key("ID"), output.Key("TO"), output.Plain("KIND", 4), output.Plain("TIME", 3), output.Plain("STATE", 2), output.Plain("THREAD", 1), output.Free("CONTENT")}, rows)
}
