package messages

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

// NewReply returns the command mesh reply.
func NewReply(a *app.App) *cobra.Command {
	var read bool
	cmd := &cobra.Command{
		Use:               "reply ID KIND TEXT|-",
		Short:             "Answer a message to this node, in its thread; the same reply sent twice arrives once",
		Example:           "  mesh reply 17 answer \"Yes.\"\n  mesh reply 17 answer --read - < report.txt",
		Args:              app.Args(cobra.ExactArgs(3)),
		ValidArgsFunction: app.CompleteArgs(a.CompleteMessage, app.CompleteKind),
		RunE: a.AsNode(func(ctx context.Context, c *client.MeshClient, given []string) error {
			ids, err := messageIDs(given[:1])
			if err != nil {
				return err
			}
			text, err := a.Text(given[2])
			if err != nil {
				return err
			}
			messages, err := mail.Messages(ctx, c, ids...)
			if err != nil {
				return err
			}
			receipt, err := c.Reply(ctx, messages[0], client.SendRequest{Kind: client.Kind(given[1]), Content: text})
			var unknown *client.NotInRegistryError
			if errors.As(err, &unknown) {
				err = fmt.Errorf("the sender of message %d cannot receive answers: %w", messages[0].ID, err)
			}
			if err := sent(a, receipt, err); err != nil {
				return err
			}
			a.WarnUnregistered(ctx, c, "cannot receive answers")
			if !read || messages[0].ReadAt != nil {
				return nil
			}
			if err := c.MarkRead(ctx, messages[0].ID); err != nil {
				return fmt.Errorf("the reply was sent, but the message was not marked read: %w", err)
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&read, "read", false, "also mark the message read")
	return app.WithText(cmd, 2)
}
