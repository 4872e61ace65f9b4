package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
)

// kinds are the kinds of messages, for completion.
var kinds = []string{
	string(client.KindFYI), string(client.KindQuestion), string(client.KindAnswer), string(client.KindStatus), string(client.KindUnblock),
}

func newSend(a *app) *cobra.Command {
	var req client.SendRequest
	var thread string
	cmd := &cobra.Command{
		Use:               "send TO KIND TEXT|-",
		Short:             "Send a message; KIND is fyi, question, answer, status or unblock, and - reads the text from stdin",
		Example:           "  mesh send node-b question \"Is the build green?\"\n  mesh send node-b fyi --thread builds - < report.txt\n  mesh send -- node-b fyi \"-5 degrees\"",
		Args:              args(cobra.ExactArgs(3)),
		ValidArgsFunction: completeKind,
		RunE: func(cmd *cobra.Command, given []string) (err error) {
			req.To, req.Kind = given[0], client.Kind(given[1])
			if req.Content, err = a.text(given[2]); err != nil {
				return err
			}
			return a.send(cmd.Context(), req, thread)
		},
	}
	cmd.Flags().StringVar(&thread, "thread", "", "name or id of a thread; a name that is new makes one")
	cmd.Flags().StringVar(&req.RelatedTaskID, "task", "", "number of a related task")
	cmd.Flags().StringVar(&req.IdempotencyKey, "key", "", "idempotency key: the same message under the same key arrives once")
	cmd.Flags().IntSliceVar(&req.AllowRules, "allow-rule", nil, "number of a scan rule that may match (repeatable)")
	return cmd
}

func (a *app) send(ctx context.Context, req client.SendRequest, thread string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	if req.ThreadID, err = threadID(ctx, c, thread); err != nil {
		return err
	}
	receipt, err := c.Send(ctx, req)
	if err != nil {
		return err
	}
	return a.sent(receipt)
}

// completeKind completes the second argument of send and reply.
func completeKind(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(given) == 1 {
		return slices.Clone(kinds), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// text returns the argument, or all of stdin for "-", without the line break at its end.
func (a *app) text(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	text, err := io.ReadAll(a.in)
	if err != nil {
		return "", usagef("stdin: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
}

// sent prints the receipt of a message.
func (a *app) sent(receipt *client.MeshMessage) error {
	return a.print(receipt, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "sent message %d to %s\n", receipt.ID, oneLine(receipt.ToNode))
		return err
	})
}
