package messages

import (
	"context"
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
	o := &filters{App: a}
	cmd := &cobra.Command{
		Use:   "pending",
		Short: "List the questions of this node that have no answer, oldest first",
		Long: `Pending lists the questions that this node has sent and that have no answer, the oldest first. A question is answered by a later message of
the kind answer from its recipient in the same thread, or without a thread if the question has none; a question of mesh ask --thread by
the answer with its number. Only the newest 1000 questions are checked, of those that --to and --thread select.`,
		Example:           "  mesh pending\n  mesh pending --to node-b -o json",
		Args:              cobra.NoArgs,
		ValidArgsFunction: app.CompleteNothing,
		RunE: a.AsNode(func(ctx context.Context, c *client.MeshClient, _ []string) error {
			o.client = c
			return runPending(ctx, o)
		}),
	}
	o.addSent(cmd)
	return cmd
}

// runPending prints the questions without an answer.
func runPending(ctx context.Context, o *filters) error {
	if err := o.resolve(ctx); err != nil {
		return err
	}
	questions, err := o.client.Pending(ctx, client.PendingOptions{ToNode: o.ToNode, ThreadID: o.ThreadID})
	if err = o.SkipInvalid(err); err != nil {
		return err
	}
	slices.Reverse(questions)
	columns := []table.Column{table.Key("ID"), table.Key("TO"), table.Plain("SENT", 2), table.Plain("THREAD", 1), table.Free("CONTENT")}
	return o.PrintTable(questions, columns, table.Rows(questions, func(m *client.MeshMessage) []string {
		return []string{strconv.FormatInt(m.ID, 10), mail.ShownNode(m.ToNode), output.Time(m.CreatedAt), output.Text(m.ThreadID), output.Shorten(m.GetContent())}
	}))
}
