package messages

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
)

// replyOptions are the flags of mesh reply.
type replyOptions struct {
	*app.App
	read bool
}

// NewReply returns the command mesh reply.
func NewReply(a *app.App) *cobra.Command {
	o := &replyOptions{App: a}
	cmd := &cobra.Command{
		Use:               "reply ID KIND TEXT|-",
		Short:             "Answer a message to this node, in its thread; the same reply sent twice arrives once",
		Example:           "  mesh reply 17 answer \"Yes.\"\n  mesh reply 17 answer --read - < report.txt",
		Args:              cobra.ExactArgs(3),
		ValidArgsFunction: app.CompleteArgs(a.CompleteMessage, app.CompleteKind),
		RunE:              a.AsNode(o.run),
	}
	cmd.Flags().BoolVar(&o.read, "read", false, "also mark the message read")
	return app.WithText(cmd, 2)
}

// run answers a message.
func (o *replyOptions) run(ctx context.Context) error {
	ids, err := messageIDs(o.Args[:1])
	if err != nil {
		return err
	}
	text, err := o.Text(o.Args[2])
	if err != nil {
		return err
	}
	m, err := o.Client.GetMessage(ctx, ids[0])
	if err != nil {
		return err
	}
	receipt, err := o.Client.Reply(ctx, *m, client.SendRequest{Kind: client.Kind(o.Args[1]), Content: text})
	var unknown *client.NotInRegistryError
	if errors.As(err, &unknown) {
		err = fmt.Errorf("the sender of message %d cannot receive answers: %w", m.ID, err)
	}
	if err := printReceipt(ctx, o.App, receipt, err); err != nil || !o.read || m.ReadAt != nil {
		return err
	}
	if err := o.Client.MarkRead(ctx, m.ID); err != nil {
		return fmt.Errorf("the reply was sent, but the message was not marked read: %w", err)
	}
	return nil
}
