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

// NewSent returns the command mesh sent.
func NewSent(a *app.App) *cobra.Command {
	o := &filters{App: a}
	cmd := &cobra.Command{
		Use:               "sent",
		Short:             "List the messages that this node has sent, newest first",
		Example:           "  mesh sent --to node-b --kind question\n  mesh sent --thread builds --limit 10",
		Args:              cobra.NoArgs,
		ValidArgsFunction: app.CompleteNothing,
		RunE:              a.AsNode(o.sent),
	}
	o.addSent(cmd)
	o.add(cmd)
	return cmd
}

// addSent adds the flags of mesh sent and mesh pending.
func (o *filters) addSent(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.ToNode, "to", "", "only messages to this node")
	cmd.Flags().StringVar(&o.ThreadID, "thread", "", "only messages of the thread with this name or id")
	app.Complete(cmd, "to", o.CompleteNode)
}

// sent prints the messages that this node has sent.
func (o *filters) sent(ctx context.Context) error {
	if err := o.resolve(ctx); err != nil {
		return err
	}
	messages, err := o.Client.Sent(ctx, client.SentOptions{
		ToNode: o.ToNode, Kind: o.Kind, ThreadID: o.ThreadID, Since: o.Since, Limit: o.Limit,
	})
	return o.printSent(messages, err)
}

// printSent prints messages of this node, and warns of rows that cannot be decoded.
func (o *filters) printSent(messages []client.MeshMessage, err error) error {
	if err = o.SkipInvalid(err); err != nil {
		return err
	}
	columns := []table.Column{
		table.Key("ID"), table.Key("TO"), table.Plain("KIND", 4), table.Plain("TIME", 3), table.Plain("STATE", 2), table.Plain("THREAD", 1), table.Free("CONTENT"),
	}
	return o.PrintTable(messages, columns, table.Rows(messages, func(m *client.MeshMessage) []string {
		return []string{
			strconv.FormatInt(m.ID, 10), mail.ShownNode(m.ToNode), mail.ShownKind(m.Kind), output.Time(m.CreatedAt), mail.ReadState(m), output.Text(m.ThreadID), output.Shorten(m.GetContent()),
		}
	}))
}

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
		RunE:              a.AsNode(o.pending),
	}
	o.addSent(cmd)
	return cmd
}

// pending prints the questions without an answer.
func (o *filters) pending(ctx context.Context) error {
	if err := o.resolve(ctx); err != nil {
		return err
	}
	questions, err := o.Client.Pending(ctx, client.PendingOptions{ToNode: o.ToNode, ThreadID: o.ThreadID})
	slices.Reverse(questions)
	return o.printSent(questions, err)
}
