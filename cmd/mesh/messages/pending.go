package messages

import (
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// NewPending returns the command mesh pending.
func NewPending(a *app.App) *cobra.Command {
	var f filterFlags
	cmd := &cobra.Command{
		Use:   "pending",
		Short: "List the questions of this node that have no answer, oldest first",
		Long: `Pending lists the questions that this node has sent and that have no answer, the oldest first. A question is answered by a later message of
the kind answer from its recipient in the same thread, or without a thread if the question has none; a question of mesh ask --thread by
the answer with its number. The newest 1000 questions are looked at, with --to or --thread those selected.`,
		Example:           "  mesh pending\n  mesh pending --to node-b -o json",
		Args:              app.Args(cobra.NoArgs),
		ValidArgsFunction: app.CompleteNothing,
		RunE: a.AsNode(func(ctx context.Context, c *client.MeshClient, _ []string) error {
			opts, err := sentOptions(a, ctx, c, f)
			if err != nil {
				return err
			}
			questions, err := c.Pending(ctx, client.PendingOptions{ToNode: opts.ToNode, ThreadID: opts.ThreadID})
			if err = a.SkipInvalid(err); err != nil {
				return err
			}
			slices.Reverse(questions)
			return a.Print(questions, func(w io.Writer) error { return pendingTable(w, questions) })
		}),
	}
	f.addSent(a, cmd)
	return cmd
}

func pendingTable(w io.Writer, questions []client.MeshMessage) error {
	rows := make([][]string, len(questions))
	for i, m := range questions {
		rows[i] = []string{
			strconv.FormatInt(m.ID, 10), mail.ShownNode(m.ToNode), output.Time(m.CreatedAt), output.Text(m.ThreadID), output.Shorten(m.GetContent()),
		}
	}
	return output.Table(w, []table.Column{table.Key("ID"), table.Key("TO"), table.Plain("SENT", 2), table.Plain("THREAD", 1), table.Free("CONTENT")}, rows)
}
