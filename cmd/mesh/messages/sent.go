package messages

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// NewSent returns the command mesh sent.
func NewSent(a *app.App) *cobra.Command {
	var f filterFlags
	cmd := &cobra.Command{
		Use:               "sent",
		Short:             "List the messages that this node has sent, newest first",
		Example:           "  mesh sent --to node-b --kind question\n  mesh sent --thread builds --limit 10",
		Args:              app.Args(cobra.NoArgs),
		ValidArgsFunction: app.CompleteNothing,
		RunE: a.AsNode(func(ctx context.Context, c *client.MeshClient, _ []string) error {
			opts, err := sentOptions(a, ctx, c, f)
			if err != nil {
				return err
			}
			messages, err := c.Sent(ctx, client.SentOptions{
				ToNode: opts.ToNode, UnreadOnly: opts.UnreadOnly, Kind: opts.Kind, ThreadID: opts.ThreadID, Since: opts.Since, Limit: opts.Limit,
			})
			if err = a.SkipInvalid(err); err != nil {
				return err
			}
			return a.Print(messages, func(w io.Writer) error { return sentTable(w, messages) })
		}),
	}
	f.addSent(a, cmd)
	f.add(cmd)
	return cmd
}

// addSent adds the flags of mesh sent and mesh pending.
func (f *filterFlags) addSent(a *app.App, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.ToNode, "to", "", "only messages to this node")
	cmd.Flags().StringVar(&f.ThreadID, "thread", "", "only messages of the thread with this name or id")
	app.Complete(cmd, "to", a.CompleteNode)
}

// sentOptions checks the filters.
func sentOptions(a *app.App, ctx context.Context, c *client.MeshClient, f filterFlags) (opts client.FetchOptions, err error) {
	if opts, err = f.options(); err != nil {
		return opts, err
	}
	if err := a.CheckName("--to", f.ToNode); err != nil {
		return opts, err
	}
	opts.ThreadID, err = threadID(a, ctx, c, f.ThreadID)
	return opts, err
}

func sentTable(w io.Writer, messages []client.MeshMessage) error {
	rows := make([][]string, len(messages))
	for i, m := range messages {
		rows[i] = []string{
			strconv.FormatInt(m.ID, 10), mail.ShownNode(m.ToNode), mail.ShownKind(m.Kind), output.Time(m.CreatedAt), readState(&m), output.Text(m.ThreadID), output.Shorten(m.GetContent()),
		}
	}
	return output.Table(w, []table.Column{table.Key("ID"), table.Key("TO"), table.Plain("KIND", 4), table.Plain("TIME", 3), table.Plain("STATE", 2), table.Plain("THREAD", 1), table.Free("CONTENT")}, rows)
}
