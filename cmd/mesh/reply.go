package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
)

func newReply(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "reply ID KIND TEXT|-",
		Short:             "Answer a message of the own inbox, in its thread; the same reply sent twice arrives once",
		Args:              args(cobra.ExactArgs(3)),
		ValidArgsFunction: completeKind,
		RunE: func(cmd *cobra.Command, given []string) error {
			ids, err := messageIDs(given[:1])
			if err != nil {
				return err
			}
			text, err := a.text(given[2])
			if err != nil {
				return err
			}
			return a.reply(cmd.Context(), ids[0], client.Kind(given[1]), text)
		},
	}
}

func (a *app) reply(ctx context.Context, id int64, kind client.Kind, text string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	messages, err := find(ctx, c, id)
	if err != nil {
		return err
	}
	receipt, err := c.Reply(ctx, messages[0], kind, text)
	if err != nil {
		return err
	}
	return a.sent(receipt)
}
